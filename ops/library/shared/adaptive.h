/* shared/adaptive.h - averages of windows that cover the input, whatever sizes
 */
#ifndef OSW_LIBRARY_ADAPTIVE_H
#define OSW_LIBRARY_ADAPTIVE_H

#include "separable.h"

/* Sizes of nothing have no average. */
static inline int osw_adaptive_check(const osw_call *call, const osw_tensor *x)
{
    if (!x || x->ndim < 3 || x->ndim > 4)
        return osw_error(call, "expected a tensor of 3 or 4 dimensions");
    for (int32_t d = x->ndim - 3; d < x->ndim; d++)
        if (x->shape[d] < 1)
            return osw_error(call, "expected sizes above 0");
    return osw_image_is_float(x) ? 0 : OSW_UNSUPPORTED;
}

/* (self, output_size) -> out */
static inline int osw_adaptive_open(const osw_call *call,
                                    struct osw_separable *s)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int rc = osw_adaptive_check(call, x);
    int64_t shape[4], size[2];
    osw_tensor *out;

    if (rc)
        return rc;
    if (osw_image_pair(call, 1, NULL, size) || size[0] < 0 || size[1] < 0)
        return osw_error(call, "expected two sizes");
    for (int32_t d = 0; d < x->ndim; d++)
        shape[d] = d < x->ndim - 2 ? x->shape[d] : size[d - (x->ndim - 2)];
    out = osw_output(call, 0, x->dtype, x->ndim, shape, NULL);
    if (!out)
        return OSW_ERROR;
    s->y.way = s->x.way = OSW_SEPARABLE_AVERAGE;
    return osw_separable_images(s, x, out);
}

/* (grad_output, self) -> the gradient of self */
static inline int osw_adaptive_open_backward(const osw_call *call,
                                             struct osw_separable *s)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_tensor *x = osw_arg_tensor(call, 1);
    int rc = osw_adaptive_check(call, x);
    osw_tensor *out;

    if (rc)
        return rc;
    if (!grad || grad->ndim != x->ndim)
        return osw_error(call, "grad_output does not fit self");
    for (int32_t d = 0; d < x->ndim - 2; d++)
        if (grad->shape[d] != x->shape[d])
            return osw_error(call, "grad_output does not fit self");
    if (grad->dtype.code != x->dtype.code || grad->dtype.bits != x->dtype.bits)
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!out)
        return OSW_ERROR;
    s->y.way = s->x.way = OSW_SEPARABLE_AVERAGE;
    return osw_separable_images(s, out, grad);
}

#endif /* OSW_LIBRARY_ADAPTIVE_H */
