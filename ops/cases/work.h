/* ops/cases/work.h - bytes that a case has to move
 *
 * Pure.  What an op writes is known once its outputs are; what it reads is
 * not, since some ops read a part (embedding, gather) or nothing (new_zeros).
 * op.json says it by `reads`; rates take all inputs where it does not, and the
 * speed of light takes none, since it must not call an honest time impossible.
 */
#ifndef OSW_OPS_WORK_H
#define OSW_OPS_WORK_H

#include <stddef.h>

#include "common/error.h"
#include "ops/catalog/op.h"
#include "ops/inputs/bind.h"

struct osw_reads {
    double bytes; /* by op.json, else all inputs, each element once */
    double least; /* by op.json, else 0 */
};

/* Returns 0, or -1 with err set to OSW_BAD_INPUT when the expression of op.json
 * does not fit this case, or is not a size.
 */
int osw_work_reads(const struct osw_op *op, const struct osw_bound_arg *args,
                   size_t n_args, struct osw_reads *out,
                   struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_WORK_H */
