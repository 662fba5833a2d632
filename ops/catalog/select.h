/* ops/catalog/select.h - filters over names: exact, `!` excludes, globs on
 * request
 *
 * A pattern is a name; with * or ? in it, it is a glob.  With `!` in front it
 * excludes.  No pattern that includes: everything is in.  A pattern that
 * matches nothing is the caller's error: a typing mistake must not quietly
 * shrink a campaign.
 */
#ifndef OSW_OPS_SELECT_H
#define OSW_OPS_SELECT_H

#include <stdbool.h>
#include <stddef.h>

/* Does one pattern, without its `!`, match the name? */
bool osw_select_match(const char *pattern, const char *name);

/* Does it hold * or ?  `[` stands for itself only in exact names. */
bool osw_select_is_glob(const char *pattern);

/* The name of an op without "aten." in front; borrowed, points into it. */
const char *osw_select_short(const char *name);

/* Is a thing of these names [n_names] in? */
bool osw_select(const char *const *patterns, size_t n, const char *const *names,
                size_t n_names);

/* Does any of the patterns include, so that only what they name is in? */
bool osw_select_includes(const char *const *patterns, size_t n);

#endif /* OSW_OPS_SELECT_H */
