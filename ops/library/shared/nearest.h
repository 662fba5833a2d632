/* shared/nearest.h - resampling by the nearest element, as PyTorch's: places of
 * the input are computed in float
 */
#ifndef OSW_LIBRARY_NEAREST_H
#define OSW_LIBRARY_NEAREST_H

#include "image.h"
#include "resample.h"

struct osw_nearest {
    struct osw_image in, out;
    float scale[2]; /* places of the input to one of the output: [y, x] */
};

/* The place of the input that place o of the output is a copy of. */
OSW_HD static inline int64_t osw_nearest_from(const struct osw_nearest *r,
                                              int axis, int64_t o)
{
    int64_t n_in = axis ? r->in.x : r->in.y, n_out = axis ? r->out.x : r->out.y;
    int64_t i;

    if (n_out == n_in)
        return o;
    if (n_out == 2 * n_in)
        return o / 2;
    i = (int64_t)floorf((float)o * r->scale[axis]);
    return i < n_in - 1 ? i : n_in - 1;
}

/* The first place of the output that is a copy of place i or a later one. */
OSW_HD static inline int64_t osw_nearest_first(const struct osw_nearest *r,
                                               int axis, int64_t i)
{
    int64_t low = 0, high = axis ? r->out.x : r->out.y;

    while (low < high) {
        int64_t middle = (low + high) / 2;

        if (osw_nearest_from(r, axis, middle) >= i)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Element i of the gradient of the input: the sum over its copies. */
OSW_HD static inline double osw_nearest_backward_at(const struct osw_nearest *r,
                                                    int64_t i, double *squares)
{
    struct osw_spot s = osw_image_spot(&r->in, i);
    int64_t y1 = osw_nearest_first(r, 0, s.y + 1);
    int64_t x0 = osw_nearest_first(r, 1, s.x);
    int64_t x1 = osw_nearest_first(r, 1, s.x + 1);
    double sum = 0.0;

    for (int64_t y = osw_nearest_first(r, 0, s.y); y < y1; y++)
        for (int64_t x = x0; x < x1; x++) {
            double g = osw_image_get(&r->out, s.n, s.c, y, x);

            sum += g;
            *squares += g * g;
        }
    return sum;
}

/* --- arguments --- */

/* Sizes [y, x] of the output, and the scale.  sized: factors are two arguments,
 * not a list.  0, or OSW_ERROR.
 */
static inline int osw_nearest_sizes(const osw_call *call, struct osw_nearest *r,
                                    int sized, int factors_at,
                                    const int64_t *input, int64_t *output)
{
    double factor[2];
    int rc =
        sized ? osw_resample_sized(call, factors_at, input, output, factor)
              : osw_resample_sizes(call, 1, factors_at, input, output, factor);

    for (int axis = 0; axis < 2 && rc == 0; axis++)
        r->scale[axis] = factor[axis] > 0.0
                             ? (float)(1.0 / factor[axis])
                             : (float)input[axis] / (float)output[axis];
    return rc;
}

/* (input, output_size, scale_factors) -> out; sized: (self, output_size,
 * scales_h, scales_w)
 */
static inline int osw_nearest_open_any(const osw_call *call,
                                       struct osw_nearest *r, int sized)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[4];
    osw_tensor *out;

    if (!x || x->ndim != 4)
        return osw_error(call, "expected a tensor of 4 dimensions");
    if (!osw_image_is_float(x))
        return OSW_UNSUPPORTED;
    shape[0] = x->shape[0];
    shape[1] = x->shape[1];
    if (osw_nearest_sizes(call, r, sized, 2, x->shape + 2, shape + 2))
        return OSW_ERROR;
    out = osw_output(call, 0, x->dtype, 4, shape, NULL);
    if (!out)
        return OSW_ERROR;
    return osw_image_of(&r->in, x) || osw_image_of(&r->out, out);
}

static inline int osw_nearest_open(const osw_call *call, struct osw_nearest *r)
{
    return osw_nearest_open_any(call, r, 0);
}

static inline int osw_nearest_open_sized(const osw_call *call,
                                         struct osw_nearest *r)
{
    return osw_nearest_open_any(call, r, 1);
}

/* (grad_output, output_size, input_size, scale_factors, or scales_h and
 * scales_w) -> the gradient of the input: r->in, and r->out is grad_output
 */
static inline int osw_nearest_open_backward_any(const osw_call *call,
                                                struct osw_nearest *r,
                                                int sized)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_arg *sizes = osw_arg_at(call, 2);
    int64_t shape[4], output[2];
    osw_tensor *out;

    if (!grad || grad->ndim != 4 || sizes->tag != OSW_ARG_LIST || sizes->n != 4)
        return osw_error(call, "expected tensor and sizes of 4 dimensions");
    if (!osw_image_is_float(grad))
        return OSW_UNSUPPORTED;
    for (int d = 0; d < 4; d++)
        shape[d] = sizes->u.items[d].u.i;
    if (osw_nearest_sizes(call, r, sized, 3, shape + 2, output))
        return OSW_ERROR;
    if (grad->shape[0] != shape[0] || grad->shape[1] != shape[1] ||
        grad->shape[2] != output[0] || grad->shape[3] != output[1])
        return osw_error(call, "grad_output is not of the output's shape");
    out = osw_output(call, 0, grad->dtype, 4, shape, NULL);
    if (!out)
        return OSW_ERROR;
    return osw_image_of(&r->in, out) || osw_image_of(&r->out, grad);
}

static inline int osw_nearest_open_backward(const osw_call *call,
                                            struct osw_nearest *r)
{
    return osw_nearest_open_backward_any(call, r, 0);
}

static inline int osw_nearest_open_backward_sized(const osw_call *call,
                                                  struct osw_nearest *r)
{
    return osw_nearest_open_backward_any(call, r, 1);
}

#endif /* OSW_LIBRARY_NEAREST_H */
