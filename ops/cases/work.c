/* ops/cases/work.c - bytes that a case has to move */
#include "ops/cases/work.h"

#include "ops/inputs/expr.h"

int osw_work_reads(const struct osw_op *op, const struct osw_bound_arg *args,
                   size_t n_args, struct osw_reads *out, struct osw_error *err)
{
    struct osw_reads reads = {.bytes = 0};

    if (op->reads) {
        if (osw_expr_size(op->reads, "reads", args, n_args, &reads.bytes, err) <
            0)
            return -1;
    } else {
        for (size_t i = 0; i < n_args; i++)
            reads.bytes += osw_expr_bytes(args[i].value);
    }
    reads.least = op->reads || op->reads_all ? reads.bytes : 0;
    *out = reads;
    return 0;
}
