/* ops/catalog/catalog.h - the ops under some roots, and what was left out and
 * why
 *
 * Upstream: campaign (which roots).  Downstream: suites, list, plan.
 * Read once, immutable afterwards; lives in the caller's arena.
 */
#ifndef OSW_OPS_CATALOG_H
#define OSW_OPS_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/catalog/op.h"

enum { OSW_CATALOG_MAX_OPS = 65536 };

/* A folder under a root that is no op here. */
struct osw_left_out {
    const char *folder; /* its name */
    const char *name;   /* the op's, as far as the folder's tells */
    const char *path;
    const char *why;
    bool broken; /* meant as an op, and wrong: cannot be judged */
};

struct osw_catalog {
    size_t n_ops;
    const struct osw_op *ops; /* [n_ops] sorted by canonical name */
    size_t n_left_out;
    const struct osw_left_out *left_out; /* [n_left_out] by root and name */
};

/* Is it an op's own folder, and so no root? */
bool osw_catalog_is_op(const char *folder);

/* Read every op folder directly under the n roots, and those under a folder of
 * a root that is no op itself (my_experiment_v1/).  An op of the same
 * canonical name under a later root is left out.  Hidden folders, plain files,
 * __pycache__ and folders that hold only headers (.h, .cuh) are passed over.
 *
 * Returns 0, or -1 with err set and *out untouched:
 *   OSW_BAD_INPUT  a root is not there or no folder; too many folders
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_catalog_scan(osw_arena_t *arena, const char *const *roots, size_t n,
                     const char *device, struct osw_catalog *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* The op that `name` means: of that canonical name, else the first that is
 * called so (see osw_op_is_called).  NULL when there is none.
 */
const struct osw_op *osw_catalog_find(const struct osw_catalog *catalog,
                                      const char *name);

/* The broken folder that `name` means, or NULL.  Ask when there is no op. */
const struct osw_left_out *
osw_catalog_find_broken(const struct osw_catalog *catalog, const char *name);

/* Does a pattern, without its `!`, mean the op?  It may be any form of its name
 * (add__Tensor, aten.add.Tensor, aten::add.Tensor), or have * and ?.  Names
 * without their overload: see ops/cases/overload.h.
 */
bool osw_catalog_matches(const struct osw_op *op, const char *pattern);

/* Is the op in, by these patterns [n] over its name, folder and aliases?  See
 * ops/catalog/select.h.
 */
bool osw_catalog_wants(const struct osw_op *op, const char *const *patterns,
                       size_t n);

/* Is it broken, and in by these patterns?  Its op.json names it no more. */
bool osw_catalog_wants_broken(const struct osw_left_out *out,
                              const char *const *patterns, size_t n);

/* Does a pattern, without its `!`, mean any op or folder? */
bool osw_catalog_has(const struct osw_catalog *catalog, const char *pattern);

/* The same as an error.  Returns 0, or -1
 * with err "no op 'ad' (did you mean 'add'?)".
 */
int osw_catalog_check(const struct osw_catalog *catalog, const char *pattern,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_CATALOG_H */
