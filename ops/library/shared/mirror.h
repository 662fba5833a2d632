/* shared/mirror.h - padding by what lies on the other side of each edge */
#ifndef OSW_LIBRARY_MIRROR_H
#define OSW_LIBRARY_MIRROR_H

#include "separable.h"

/* padding [left, right, top, bottom] of x, or [left, right] of rows, which are
 * those of one image: the padded sizes [y, x].  0, or an error.
 */
static inline int osw_mirror_padding(const osw_call *call, const osw_tensor *x,
                                     int arg, struct osw_separable *s,
                                     int64_t *size)
{
    const osw_arg *a = osw_arg_at(call, arg);
    int64_t pad[4] = {0, 0, 0, 0};

    if (!x || x->ndim < 3 || x->ndim > 4)
        return osw_error(call, "expected a tensor of 3 or 4 dimensions");
    if (!osw_image_is_float(x))
        return OSW_UNSUPPORTED;
    if (a->tag != OSW_ARG_LIST || (a->n != 4 && (a->n != 2 || x->ndim != 3)))
        return osw_error(call, "expected a padding of four numbers, or of two "
                               "for three dimensions");
    for (int k = 0; k < (int)a->n; k++)
        pad[k] = a->u.items[k].u.i;
    for (int axis = 0; axis < 2; axis++) {
        int64_t n = x->shape[x->ndim - 2 + axis], *of = pad + 2 * (1 - axis);

        size[axis] = n + of[0] + of[1];
        if (of[0] >= n || of[1] >= n || size[axis] < 1)
            return osw_error(call, "expected a padding below the size");
    }
    s->y.way = s->x.way = OSW_SEPARABLE_MIRROR;
    s->y.before = pad[2];
    s->x.before = pad[0];
    return 0;
}

/* (self, padding) -> out */
static inline int osw_mirror_open(const osw_call *call, struct osw_separable *s)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[4], size[2];
    int rc = osw_mirror_padding(call, x, 1, s, size);
    osw_tensor *out;

    if (rc)
        return rc;
    for (int32_t d = 0; d < x->ndim; d++)
        shape[d] = d < x->ndim - 2 ? x->shape[d] : size[d - (x->ndim - 2)];
    out = osw_output(call, 0, x->dtype, x->ndim, shape, NULL);
    return out ? osw_separable_images(s, x, out) : OSW_ERROR;
}

/* (grad_output, self, padding) -> the gradient of self */
static inline int osw_mirror_open_backward(const osw_call *call,
                                           struct osw_separable *s)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_tensor *x = osw_arg_tensor(call, 1);
    int64_t size[2];
    int rc = osw_mirror_padding(call, x, 2, s, size);
    osw_tensor *out;

    if (rc)
        return rc;
    if (!grad || grad->ndim != x->ndim)
        return osw_error(call, "grad_output does not fit self");
    for (int32_t d = 0; d < x->ndim; d++)
        if (grad->shape[d] !=
            (d < x->ndim - 2 ? x->shape[d] : size[d - (x->ndim - 2)]))
            return osw_error(call, "grad_output does not fit self");
    if (grad->dtype.code != x->dtype.code || grad->dtype.bits != x->dtype.bits)
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    return out ? osw_separable_images(s, out, grad) : OSW_ERROR;
}

#endif /* OSW_LIBRARY_MIRROR_H */
