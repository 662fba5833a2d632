/* ops/library/linalg_vector_norm/vector_norm.h - (self, ord, dim, keepdim,
 * dtype)
 */
#ifndef OSW_LIBRARY_VECTOR_NORM_H
#define OSW_LIBRARY_VECTOR_NORM_H

#include "../shared/reduce.h"

struct vector_norm {
    struct osw_reduce r;
    double ord;
};

static inline int vector_norm_open(const osw_call *call, struct vector_norm *v)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int rc;

    v->ord = osw_arg_float(call, 1, 2.0);
    if (x && !osw_rows_is_float(x))
        return OSW_UNSUPPORTED;
    rc = osw_reduce_open_args(call, &v->r, 2, 3, 4);
    if (!rc && !osw_rows_is_float(v->r.out))
        rc = OSW_UNSUPPORTED;
    if (!rc && v->r.summed.numel == 0 && v->r.kept.numel > 0 &&
        (v->ord < 0.0 || v->ord == INFINITY))
        rc = osw_error(call, "no such norm of no elements");
    return rc;
}

#endif /* OSW_LIBRARY_VECTOR_NORM_H */
