/* common/suggest.h - the word that was probably meant
 *
 * Pure; for messages such as "unknown op 'ad' (did you mean 'add'?)".
 */
#ifndef OSW_COMMON_SUGGEST_H
#define OSW_COMMON_SUGGEST_H

#include <stddef.h>

#include "common/error.h"

enum {
    OSW_SUGGEST_MAX = 64, /* longer words are compared by their beginning */
    OSW_SUGGEST_HINT = OSW_SUGGEST_MAX + 256, /* bytes of a hint, with NUL */
};

/* Edit distance with neighbouring letters swapped counted as one. */
size_t osw_suggest_distance(const char *a, const char *b);

/* Of words [n] the one that means the same ("cuda" for "gpu"), differs in case
 * only, or is the nearest: at most a third of the letters wrong, at least one;
 * of five two, where three are right at the beginning.  Where none is near, the
 * first that has `word` as its beginning, or as one of its parts between
 * hyphens ("root" is a part of "ops-root").  Else NULL.  Of equally near ones
 * that with the same first letter, else the first.  A NULL word is passed over.
 */
const char *osw_suggest(const char *word, const char *const *words, size_t n);

/* The end of a message: " (did you mean 'NEAR'?)", or "" where `near` is NULL.
 * Written to `hint`, which is returned.
 */
const char *osw_suggest_hint(const char *near, char hint[OSW_SUGGEST_HINT]);

/* Set err (OSW_BAD_INPUT) to "WHAT: expected one of A, B; found 'WORD'", with
 * the nearest of words [n].  Returns -1.
 */
int osw_suggest_refuse(const char *what, const char *word,
                       const char *const *words, size_t n,
                       struct osw_error *err);

#endif /* OSW_COMMON_SUGGEST_H */
