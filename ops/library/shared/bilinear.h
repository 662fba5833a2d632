/* shared/bilinear.h - resampling between 2 x 2 neighbours, as PyTorch's */
#ifndef OSW_LIBRARY_BILINEAR_H
#define OSW_LIBRARY_BILINEAR_H

#include "resample.h"
#include "separable.h"

/* factor: 0 where it is not given. */
static inline void osw_bilinear_axis(struct osw_separable_axis *a, int align,
                                     double factor)
{
    a->way = OSW_SEPARABLE_LINEAR;
    a->align = align;
    if (align)
        a->scale =
            a->out > 1 ? (double)(a->in - 1) / (double)(a->out - 1) : 0.0;
    else
        a->scale = factor > 0.0 ? 1.0 / factor : (double)a->in / (double)a->out;
}

/* To the same size it is a copy, whatever the factors. */
static inline void osw_bilinear_axes(struct osw_separable *s, int align,
                                     double factor_y, double factor_x)
{
    int same = s->y.in == s->y.out && s->x.in == s->x.out;

    osw_bilinear_axis(&s->y, align, same ? 0.0 : factor_y);
    osw_bilinear_axis(&s->x, align, same ? 0.0 : factor_x);
}

/* (input, output_size, align_corners, scale_factors) -> out; sized: (self,
 * output_size, align_corners, scales_h, scales_w)
 */
static inline int osw_bilinear_open_any(const osw_call *call,
                                        struct osw_separable *s, int sized)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int align = osw_arg_int(call, 2, 0) != 0;
    int64_t shape[4];
    double factor[2];
    osw_tensor *out;

    if (!x || x->ndim != 4)
        return osw_error(call, "expected a tensor of 4 dimensions");
    if (!osw_image_is_float(x))
        return OSW_UNSUPPORTED;
    shape[0] = x->shape[0];
    shape[1] = x->shape[1];
    if (sized ? osw_resample_sized(call, 3, x->shape + 2, shape + 2, factor)
              : osw_resample_sizes(call, 1, 3, x->shape + 2, shape + 2, factor))
        return OSW_ERROR;
    out = osw_output(call, 0, x->dtype, 4, shape, NULL);
    if (!out)
        return OSW_ERROR;
    if (osw_separable_images(s, x, out))
        return OSW_UNSUPPORTED;
    osw_bilinear_axes(s, align, factor[0], factor[1]);
    return 0;
}

static inline int osw_bilinear_open(const osw_call *call,
                                    struct osw_separable *s)
{
    return osw_bilinear_open_any(call, s, 0);
}

static inline int osw_bilinear_open_sized(const osw_call *call,
                                          struct osw_separable *s)
{
    return osw_bilinear_open_any(call, s, 1);
}

/* (grad_output, output_size, input_size, align_corners, scales_h, scales_w) ->
 * the gradient of the input
 */
static inline int osw_bilinear_open_backward(const osw_call *call,
                                             struct osw_separable *s)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_arg *sizes = osw_arg_at(call, 2);
    int align = osw_arg_int(call, 3, 0) != 0;
    int64_t shape[4];
    osw_tensor *out;

    if (!grad || grad->ndim != 4 || sizes->tag != OSW_ARG_LIST || sizes->n != 4)
        return osw_error(call, "expected tensor and sizes of 4 dimensions");
    if (!osw_image_is_float(grad))
        return OSW_UNSUPPORTED;
    for (int d = 0; d < 4; d++)
        shape[d] = sizes->u.items[d].u.i;
    if (shape[0] != grad->shape[0] || shape[1] != grad->shape[1] ||
        shape[2] < 1 || shape[3] < 1)
        return osw_error(call, "input_size does not fit grad_output");
    out = osw_output(call, 0, grad->dtype, 4, shape, NULL);
    if (!out)
        return OSW_ERROR;
    if (osw_separable_images(s, out, grad))
        return OSW_UNSUPPORTED;
    osw_bilinear_axes(s, align, osw_arg_float(call, 4, 0.0),
                      osw_arg_float(call, 5, 0.0));
    return 0;
}

#endif /* OSW_LIBRARY_BILINEAR_H */
