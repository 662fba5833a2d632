/* shared/moments.h - (self, dim, correction, keepdim): mean and variance over
 * some dimensions
 */
#ifndef OSW_LIBRARY_MOMENTS_H
#define OSW_LIBRARY_MOMENTS_H

#include "reduce.h"

struct osw_moments {
    const osw_tensor *x;
    osw_tensor *var, *mean; /* mean: NULL where it is no output */
    struct osw_reduce_dims kept, summed;
    double divisor; /* of the squares */
    int root;       /* var is its root, the deviation */
};

/* Argument 0 over the dimensions of argument 1; what is kept is shape [*ndim].
 * 0, OSW_UNSUPPORTED or an error.
 */
static inline int osw_moments_dims(const osw_call *call, struct osw_moments *m,
                                   int64_t *shape, int32_t *ndim)
{
    int keepdim = osw_arg_int(call, 3, 0) != 0;
    char mask[OSW_REDUCE_DIMS];

    m->x = osw_arg_tensor(call, 0);
    if (!m->x || m->x->ndim > OSW_REDUCE_DIMS)
        return osw_error(call, "expected a tensor");
    if (!osw_rows_is_float(m->x))
        return OSW_UNSUPPORTED;
    if (osw_reduce_mask(call, osw_arg_at(call, 1), m->x->ndim, mask))
        return OSW_ERROR;
    m->kept.n = m->summed.n = 0;
    m->kept.numel = m->summed.numel = 1;
    *ndim = 0;
    for (int32_t d = 0; d < m->x->ndim; d++) {
        osw_reduce_push(mask[d] ? &m->summed : &m->kept, m->x->shape[d],
                        m->x->strides[d]);
        if (!mask[d] || keepdim)
            shape[(*ndim)++] = mask[d] ? 1 : m->x->shape[d];
    }
    return 0;
}

/* -> var, or its root */
static inline int osw_moments_open_one(const osw_call *call,
                                       struct osw_moments *m, int root)
{
    int64_t shape[OSW_REDUCE_DIMS];
    int32_t ndim = 0;
    int rc = osw_moments_dims(call, m, shape, &ndim);

    if (rc)
        return rc;
    m->divisor = (double)m->summed.numel - osw_arg_float(call, 2, 1.0);
    m->divisor = m->divisor > 0.0 ? m->divisor : 0.0;
    m->root = root;
    m->mean = NULL;
    m->var = osw_output(call, 0, m->x->dtype, ndim, shape, NULL);
    return m->var ? 0 : OSW_ERROR;
}

/* -> (var, mean) */
static inline int osw_moments_open(const osw_call *call, struct osw_moments *m)
{
    int rc = osw_moments_open_one(call, m, 0);

    if (rc)
        return rc;
    m->mean =
        osw_output(call, 1, m->x->dtype, m->var->ndim, m->var->shape, NULL);
    return m->mean ? 0 : OSW_ERROR;
}

#endif /* OSW_LIBRARY_MOMENTS_H */
