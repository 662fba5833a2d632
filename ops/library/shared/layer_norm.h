/* shared/layer_norm.h - arguments of native_layer_norm and its backward
 *
 * The input is n_rows rows of n elements: the trailing dimensions named by
 * normalized_shape make one row.
 */
#ifndef OSW_LIBRARY_LAYER_NORM_H
#define OSW_LIBRARY_LAYER_NORM_H

#include "convert.h"
#include "rows.h"

#include <math.h>

struct osw_layer_norm {
    const osw_tensor *x;
    const osw_tensor *weight, *bias; /* [n]; NULL: 1 and 0 */
    int32_t n_outer;                 /* leading dimensions */
    int64_t n_rows, n;
    /* forward */
    double eps;
    osw_tensor *out, *out_mean, *out_rstd;
    /* backward; an output that is not asked for is NULL, number -1 */
    const osw_tensor *grad, *mean, *rstd;
    osw_tensor *dx, *dweight, *dbias;
    int i_dx, i_dweight, i_dbias;
};

static inline int osw_layer_norm_shape(const osw_call *call,
                                       struct osw_layer_norm *l,
                                       const osw_arg *shape)
{
    int32_t d, k = (int32_t)shape->n;

    if (shape->tag != OSW_ARG_LIST || k < 1 || k > l->x->ndim)
        return osw_error(call, "normalized_shape does not fit the input");
    l->n_outer = l->x->ndim - k;
    l->n_rows = l->n = 1;
    for (d = 0; d < l->x->ndim; d++) {
        if (d < l->n_outer)
            l->n_rows *= l->x->shape[d];
        else
            l->n *= l->x->shape[d];
        if (d >= l->n_outer &&
            shape->u.items[d - l->n_outer].u.i != l->x->shape[d])
            return osw_error(call, "normalized_shape does not fit the input");
    }
    if ((l->weight && osw_numel(l->weight) != l->n) ||
        (l->bias && osw_numel(l->bias) != l->n))
        return osw_error(call, "weight or bias does not fit the rows");
    return 0;
}

/* (input, normalized_shape, weight, bias, eps) -> (out, mean, rstd); mean and
 * rstd are f32 for 16-bit inputs.
 */
static inline int osw_layer_norm_open(const osw_call *call,
                                      struct osw_layer_norm *l)
{
    int64_t shape[64];
    osw_dtype stat;

    l->x = osw_arg_tensor(call, 0);
    l->weight = osw_arg_tensor(call, 2);
    l->bias = osw_arg_tensor(call, 3);
    l->eps = osw_arg_float(call, 4, 1e-5);
    if (!l->x)
        return osw_error(call, "expected a tensor");
    if (!osw_rows_is_float(l->x) || l->x->ndim > 64)
        return OSW_UNSUPPORTED;
    if (osw_layer_norm_shape(call, l, osw_arg_at(call, 1)))
        return OSW_ERROR;
    for (int32_t d = 0; d < l->x->ndim; d++)
        shape[d] = d < l->n_outer ? l->x->shape[d] : 1;
    stat = l->x->dtype.bits == 16 ? osw_rows_f32() : l->x->dtype;
    l->out = osw_output(call, 0, l->x->dtype, l->x->ndim, l->x->shape, NULL);
    l->out_mean = osw_output(call, 1, stat, l->x->ndim, shape, NULL);
    l->out_rstd = osw_output(call, 2, stat, l->x->ndim, shape, NULL);
    return l->out && l->out_mean && l->out_rstd ? 0 : OSW_ERROR;
}

/* (grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask)
 * -> those of (dx, dweight, dbias) that the mask asks for.
 */
static inline int osw_layer_norm_open_backward(const osw_call *call,
                                               struct osw_layer_norm *l)
{
    const osw_arg *mask = osw_arg_at(call, 7);
    const osw_tensor *like;
    int want[3], n = 0;

    l->grad = osw_arg_tensor(call, 0);
    l->x = osw_arg_tensor(call, 1);
    l->mean = osw_arg_tensor(call, 3);
    l->rstd = osw_arg_tensor(call, 4);
    l->weight = osw_arg_tensor(call, 5);
    l->bias = osw_arg_tensor(call, 6);
    if (!l->grad || !l->x || !l->mean || !l->rstd ||
        !osw_rows_same_shape(l->grad, l->x))
        return osw_error(call, "expected four tensors, two of one shape");
    if (!osw_rows_is_float(l->x) || !osw_rows_is_float(l->grad))
        return OSW_UNSUPPORTED;
    if (osw_layer_norm_shape(call, l, osw_arg_at(call, 2)))
        return OSW_ERROR;
    if (osw_numel(l->mean) != l->n_rows || osw_numel(l->rstd) != l->n_rows ||
        mask->tag != OSW_ARG_LIST || mask->n != 3)
        return osw_error(call, "expected a mean per row and a mask of three");
    for (int i = 0; i < 3; i++)
        want[i] = mask->u.items[i].u.i != 0;
    like = l->weight ? l->weight : l->bias;
    if ((want[1] || want[2]) && !like)
        return osw_error(call, "no weight whose gradient was asked for");
    l->i_dx = want[0] ? n++ : -1;
    l->i_dweight = want[1] ? n++ : -1;
    l->i_dbias = want[2] ? n++ : -1;
    if (want[0])
        l->dx = osw_output(call, l->i_dx, l->x->dtype, l->x->ndim, l->x->shape,
                           NULL);
    if (want[1])
        l->dweight = osw_output(call, l->i_dweight, like->dtype, like->ndim,
                                like->shape, NULL);
    if (want[2])
        l->dbias = osw_output(call, l->i_dbias, like->dtype, like->ndim,
                              like->shape, NULL);
    return (want[0] && !l->dx) || (want[1] && !l->dweight) ||
                   (want[2] && !l->dbias)
               ? OSW_ERROR
               : 0;
}

/* --- for the implementations: rows in float --- */

/* Distance of the elements of a row, if it is one for all; else -1. */
static inline int64_t osw_layer_norm_stride(const struct osw_layer_norm *l,
                                            const osw_tensor *t)
{
    int64_t stride = t->strides[t->ndim - 1];

    for (int32_t d = t->ndim - 2; d >= l->n_outer; d--)
        if (t->strides[d] != t->strides[d + 1] * t->shape[d + 1])
            return -1;
    return stride;
}

static inline char *osw_layer_norm_row(const struct osw_layer_norm *l,
                                       const osw_tensor *t, int64_t row)
{
    int64_t at = 0;

    for (int32_t d = l->n_outer - 1; d >= 0; d--) {
        at += row % t->shape[d] * t->strides[d];
        row /= t->shape[d];
    }
    return (char *)osw_at(t, at);
}

/* weight or bias, or the constant that it stands for: to [n] */
static inline void osw_layer_norm_vector(const osw_tensor *t, float constant,
                                         int64_t n, float *to)
{
    if (t)
        osw_convert_read_flat(t, 0, n, to);
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = constant;
}

static inline int osw_layer_norm_knows(const osw_tensor *t)
{
    return !t || osw_convert_knows(t->dtype);
}

#endif /* OSW_LIBRARY_LAYER_NORM_H */
