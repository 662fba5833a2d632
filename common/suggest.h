/* common/suggest.h - the word that was probably meant
 *
 * Pure; for messages such as "unknown op 'ad' (did you mean 'add'?)".
 */
#ifndef OSW_COMMON_SUGGEST_H
#define OSW_COMMON_SUGGEST_H

#include <stddef.h>

/* Longer words are compared by their beginning. */
enum { OSW_SUGGEST_MAX = 64 };

/* Edit distance with neighbouring letters swapped counted as one. */
size_t osw_suggest_distance(const char *a, const char *b);

/* The nearest of words [n]: at most a third of the letters wrong, at least one.
 * Where none is near, the first that has `word` as one of its parts between
 * hyphens ("root" is a part of "ops-root").  Else NULL.  Of equally near ones
 * the first.  A NULL word is passed over.
 */
const char *osw_suggest(const char *word, const char *const *words, size_t n);

#endif /* OSW_COMMON_SUGGEST_H */
