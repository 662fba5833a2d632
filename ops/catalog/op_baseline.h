/* ops/catalog/op_baseline.h - torch's own operator beside an op's
 * implementations
 *
 * "baseline:compile:DIR" stands where the folder DIR does: the same op with one
 * implementation more, named "compile", which is torch.compile of the operator
 * of the op's name; "baseline:aten:DIR" has the operator as it is.
 *
 * Upstream: planning, for --baseline, and a worker that was handed such a name.
 */
#ifndef OSW_OPS_OP_BASELINE_H
#define OSW_OPS_OP_BASELINE_H

#include "ops/catalog/op.h"

/* Is it such a name? */
bool osw_op_baseline_is(const char *dir);

/* Is it a baseline of torch's: "aten", "compile"? */
bool osw_op_baseline_known(const char *name);

/* What torch calls the op: its name with a namespace, else the first alias that
 * has one; NULL: nothing does.
 */
const char *osw_op_baseline_operator(const struct osw_op *op);

/* The op with that baseline, or *op itself where it has an implementation of
 * the name already, or no operator; `beside`: it has cells of its own only
 * where it is asked for by name.  Returns 0, or -1 with err set and *out
 * untouched: OSW_BAD_INPUT when this program lies without its Python files;
 * OSW_NO_MEMORY.
 */
int osw_op_baseline_add(osw_arena_t *arena, const char *name, bool beside,
                        const struct osw_op *op, struct osw_op *out,
                        struct osw_error *err) OSW_MUST_CHECK;

/* The baseline of such a name, and in *rest what stands for the op beside it.
 * NULL with err set: OSW_BAD_INPUT, no baseline of torch's.
 */
const char *osw_op_baseline_of(const char *dir, const char **rest,
                               struct osw_error *err);

#endif /* OSW_OPS_OP_BASELINE_H */
