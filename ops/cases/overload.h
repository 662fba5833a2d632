/* ops/cases/overload.h - the one op that a name without its overload means
 *
 * "add" and "aten.add" mean aten.add.Tensor where that is the only overload of
 * add there is.  Pure.
 *
 * Upstream: --ops.  Downstream: ops/suite.c and `opsweep list` filter by the
 * names found.
 */
#ifndef OSW_OPS_OVERLOAD_H
#define OSW_OPS_OVERLOAD_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/catalog/catalog.h"

/* Does the pattern, without its `!`, need a look at what ops there are: it is
 * no glob, and no op of the catalog is called so?
 */
bool osw_overload_is_open(const struct osw_catalog *catalog,
                          const char *pattern);

/* The patterns [n] of a filter with the full names of ops in place of those
 * that are open: of `names` [n_names], which a suite asks for (it may be
 * empty, names may repeat), else of the catalog.  A pattern that means none
 * stays as it is.  *out [n] and its texts live in the arena.
 *
 * Returns 0, or -1 with err set: OSW_BAD_INPUT "option '--ops': 'add': 2
 * overloads match: ..."; OSW_NO_MEMORY.
 */
int osw_overload_resolve(osw_arena_t *arena, const struct osw_catalog *catalog,
                         const char *const *names, size_t n_names,
                         const char *const *patterns, size_t n,
                         const char *const **out,
                         struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_OVERLOAD_H */
