/* ops/catalog/op_own.h - opsweep's own Python files as implementations
 *
 * Upstream: op_torch.c, op_registered.c, op_baseline.c, suites, the judge.
 */
#ifndef OSW_OPS_OP_OWN_H
#define OSW_OPS_OP_OWN_H

#include "ops/catalog/op.h"

/* The path of one of opsweep's own Python files, beside the sandbox program:
 * see worker/sandbox/python.  NULL with err set.
 */
const char *osw_op_own_path(osw_arena_t *arena, const char *file,
                            struct osw_error *err) OSW_MUST_CHECK;

/* A path, or a file of worker/sandbox/python, as the implementation `name`,
 * which is asked for `symbol`.  NULL with err set: OSW_BAD_INPUT when this
 * program lies without its Python files; OSW_NO_MEMORY.  Borrows its texts.
 */
const struct osw_op_file *osw_op_own_file(osw_arena_t *arena, const char *name,
                                          const char *file, const char *symbol,
                                          struct osw_error *err);

#endif /* OSW_OPS_OP_OWN_H */
