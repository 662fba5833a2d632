/* ops/scaffold/yaml_ops.h - which op folders an ExecuTorch file names
 *
 * Upstream: option --ops-yaml of run, plan, list, export-ops and new.
 * Downstream: ops/notation/ops_yaml.h, pte.h.
 */
#ifndef OSW_OPS_YAML_OPS_H
#define OSW_OPS_YAML_OPS_H

#include "common/arena.h"
#include "common/error.h"
#include "ops/notation/ops_yaml.h"

/* The shipped op of torch's operator: add.out is add.Tensor,
 * mul.Scalar_out is mul.Scalar.  A folder's path in the arena, or NULL: there
 * is none, or no library (err set).
 */
const char *osw_yaml_ops_shipped(osw_arena_t *arena,
                                 const struct osw_schema *schema,
                                 struct osw_error *err);

/* The folder's name of an operator with this functional schema, in the arena;
 * NULL: no memory.
 */
const char *osw_yaml_ops_folder(osw_arena_t *arena,
                                const struct osw_schema *functional);

/* The names of the folders, as --ops takes them, after those in *names [*n]. An
 * operator of torch that is not shipped has its own name.  Returns 0, or -1
 * with err set, which names the file:
 *   OSW_BAD_INPUT  it cannot be read, or is wrong
 *   OSW_NO_MEMORY
 */
int osw_yaml_ops_add(osw_arena_t *arena, const char *path,
                     const char *const **names, size_t *n,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_YAML_OPS_H */
