/* shared/weight_norm.h - (v, g, dim): v of which each slice of dim is divided
 * by its norm and multiplied by its element of g; and the gradients
 */
#ifndef OSW_LIBRARY_WEIGHT_NORM_H
#define OSW_LIBRARY_WEIGHT_NORM_H

#include <math.h>

#include "picking.h"

struct osw_weight_norm {
    struct osw_slices v, grad;   /* cut at dim; grad: backward */
    const osw_tensor *g, *norms; /* an element a slice; norms: backward */
    osw_tensor *w, *out;         /* contiguous: w and its norms, or dv and dg */
};

/* Elements of a slice are counted in row-major order. */
static inline int64_t osw_weight_norm_size(const struct osw_weight_norm *n)
{
    return n->v.n_outer * n->v.inner;
}

/* Element i of slice k. */
static inline double osw_weight_norm_get(const struct osw_slices *s, int64_t k,
                                         int64_t i)
{
    return osw_load(s->tensor->dtype,
                    osw_slices_at(s, i / s->inner, k, i % s->inner));
}

/* Its place in a contiguous tensor of that shape. */
static inline int64_t osw_weight_norm_place(const struct osw_weight_norm *n,
                                            int64_t k, int64_t i)
{
    return (i / n->v.inner * n->v.n + k) * n->v.inner + i % n->v.inner;
}

static inline int osw_weight_norm_common(const osw_call *call,
                                         struct osw_weight_norm *n, int first,
                                         int dim_at)
{
    const osw_tensor *v = osw_arg_tensor(call, first);
    int32_t dim;

    n->g = osw_arg_tensor(call, first + 1);
    if (!v || !n->g || v->ndim < 1)
        return osw_error(call, "expected tensors");
    if (!osw_rows_is_float(v) || !osw_rows_is_float(n->g))
        return OSW_UNSUPPORTED;
    dim = osw_rows_dim(osw_arg_int(call, dim_at, 0), v->ndim);
    if (dim != 0 && dim != v->ndim - 1)
        return osw_error(call, "expected the first or the last dimension");
    n->v = osw_slices_of(v, dim);
    if (osw_numel(n->g) != n->v.n)
        return osw_error(call, "g does not fit v");
    return 0;
}

/* -> (w, norms of g's shape; of 16 bits in f32) */
static inline int osw_weight_norm_open(const osw_call *call,
                                       struct osw_weight_norm *n)
{
    osw_dtype t = osw_rows_f32();
    int rc = osw_weight_norm_common(call, n, 0, 2);
    const osw_tensor *v = n->v.tensor;

    if (rc)
        return rc;
    if (v->dtype.bits == 64)
        t = v->dtype;
    n->w = osw_output(call, 0, v->dtype, v->ndim, v->shape, NULL);
    n->out = osw_output(call, 1, t, n->g->ndim, n->g->shape, NULL);
    return n->w && n->out ? 0 : OSW_ERROR;
}

/* (grad_w, saved_v, saved_g, saved_norms, dim) -> (grad_v, grad_g) */
static inline int osw_weight_norm_open_backward(const osw_call *call,
                                                struct osw_weight_norm *n)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0), *v;
    int rc = osw_weight_norm_common(call, n, 1, 4);

    if (rc)
        return rc;
    v = n->v.tensor;
    n->norms = osw_arg_tensor(call, 3);
    if (!grad || !n->norms || !osw_rows_same_shape(grad, v) ||
        osw_numel(n->norms) != n->v.n)
        return osw_error(call, "grad_w or saved_norms does not fit v");
    n->grad = osw_slices_of(grad, n->v.dim);
    n->w = osw_output(call, 0, v->dtype, v->ndim, v->shape, NULL);
    n->out = osw_output(call, 1, n->g->dtype, n->g->ndim, n->g->shape, NULL);
    return n->w && n->out ? 0 : OSW_ERROR;
}

#endif /* OSW_LIBRARY_WEIGHT_NORM_H */
