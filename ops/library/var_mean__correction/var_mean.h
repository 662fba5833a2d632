/* ops/library/var_mean__correction/var_mean.h - the arguments, opened */
#ifndef OSW_LIBRARY_VAR_MEAN_H
#define OSW_LIBRARY_VAR_MEAN_H

#include "../shared/reduce.h"

struct var_mean {
    const osw_tensor *x;
    osw_tensor *var, *mean;
    struct osw_reduce_dims kept, summed;
    double divisor; /* of the squares */
};

/* (self, dim, correction, keepdim) -> (var, mean) */
static inline int var_mean_open(const osw_call *call, struct var_mean *v)
{
    int keepdim = osw_arg_int(call, 3, 0) != 0;
    char mask[OSW_REDUCE_DIMS];
    int64_t shape[OSW_REDUCE_DIMS];
    int32_t ndim = 0;

    v->x = osw_arg_tensor(call, 0);
    if (!v->x || v->x->ndim > OSW_REDUCE_DIMS)
        return osw_error(call, "expected a tensor");
    if (!osw_rows_is_float(v->x))
        return OSW_UNSUPPORTED;
    if (osw_reduce_mask(call, osw_arg_at(call, 1), v->x->ndim, mask))
        return OSW_ERROR;
    v->kept.n = v->summed.n = 0;
    v->kept.numel = v->summed.numel = 1;
    for (int32_t d = 0; d < v->x->ndim; d++) {
        osw_reduce_push(mask[d] ? &v->summed : &v->kept, v->x->shape[d],
                        v->x->strides[d]);
        if (!mask[d] || keepdim)
            shape[ndim++] = mask[d] ? 1 : v->x->shape[d];
    }
    v->divisor = (double)v->summed.numel - osw_arg_float(call, 2, 1.0);
    v->divisor = v->divisor > 0.0 ? v->divisor : 0.0;
    v->var = osw_output(call, 0, v->x->dtype, ndim, shape, NULL);
    v->mean = osw_output(call, 1, v->x->dtype, ndim, shape, NULL);
    return v->var && v->mean ? 0 : OSW_ERROR;
}

#endif
