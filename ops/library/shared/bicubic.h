/* shared/bicubic.h - resampling by cubic convolution, as PyTorch's: 4 x 4
 * elements around a place, the nearest one where that is outside
 */
#ifndef OSW_LIBRARY_BICUBIC_H
#define OSW_LIBRARY_BICUBIC_H

#include "image.h"
#include "resample.h"

enum { OSW_BICUBIC_TAPS = 4 };

struct osw_bicubic {
    struct osw_image in, out;
    double scale[2]; /* places of the input to one of the output: [y, x] */
    int align_corners;
};

/* What place o of the output takes along one axis: weights of elements from
 * `first` on, which may lie outside.
 */
struct osw_bicubic_taps {
    int64_t first;
    double weight[OSW_BICUBIC_TAPS];
};

OSW_HD static inline int64_t osw_bicubic_n_in(const struct osw_bicubic *b,
                                              int axis)
{
    return axis ? b->in.x : b->in.y;
}

/* The weight of an element at this distance, 0 to 2. */
OSW_HD static inline double osw_bicubic_weight(double distance)
{
    const double a = -0.75;
    double d = distance;

    if (d <= 1.0)
        return ((a + 2) * d - (a + 3)) * d * d + 1;
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

/* Where place o of the output is in the input. */
OSW_HD static inline double osw_bicubic_place(const struct osw_bicubic *b,
                                              int axis, int64_t o)
{
    return b->align_corners ? b->scale[axis] * (double)o
                            : b->scale[axis] * ((double)o + 0.5) - 0.5;
}

OSW_HD static inline struct osw_bicubic_taps
osw_bicubic_taps_of(const struct osw_bicubic *b, int axis, int64_t o)
{
    double place = osw_bicubic_place(b, axis, o), whole = floor(place);
    struct osw_bicubic_taps t;

    t.first = (int64_t)whole - 1;
    for (int k = 0; k < OSW_BICUBIC_TAPS; k++)
        t.weight[k] = osw_bicubic_weight(fabs(place - whole + 1 - k));
    return t;
}

/* The element that stands for one that may be outside. */
OSW_HD static inline int64_t osw_bicubic_clamp(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* What place o of the output takes of element i, along one axis. */
OSW_HD static inline double osw_bicubic_share(const struct osw_bicubic *b,
                                              int axis, int64_t o, int64_t i)
{
    struct osw_bicubic_taps t = osw_bicubic_taps_of(b, axis, o);
    int64_t n = osw_bicubic_n_in(b, axis);
    double sum = 0.0;

    for (int k = 0; k < OSW_BICUBIC_TAPS; k++)
        if (osw_bicubic_clamp(t.first + k, n) == i)
            sum += t.weight[k];
    return sum;
}

/* The first place of the output whose taps end at element i or a later one. */
OSW_HD static inline int64_t osw_bicubic_first(const struct osw_bicubic *b,
                                               int axis, int64_t i)
{
    int64_t low = 0, high = axis ? b->out.x : b->out.y;

    while (low < high) {
        int64_t middle = (low + high) / 2;

        if ((int64_t)floor(osw_bicubic_place(b, axis, middle)) + 2 >= i)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Places [*from, *to) of the output that take element i, and perhaps others. */
OSW_HD static inline void osw_bicubic_takers(const struct osw_bicubic *b,
                                             int axis, int64_t i, int64_t *from,
                                             int64_t *to)
{
    int64_t n = osw_bicubic_n_in(b, axis);

    *from = i == 0 ? 0 : osw_bicubic_first(b, axis, i);
    *to = i == n - 1 ? (axis ? b->out.x : b->out.y)
                     : osw_bicubic_first(b, axis, i + OSW_BICUBIC_TAPS);
}

/* --- one element, in double --- */

/* Of the output. */
OSW_HD static inline double osw_bicubic_at(const struct osw_bicubic *b,
                                           int64_t i)
{
    struct osw_spot s = osw_image_spot(&b->out, i);
    struct osw_bicubic_taps ty = osw_bicubic_taps_of(b, 0, s.y);
    struct osw_bicubic_taps tx = osw_bicubic_taps_of(b, 1, s.x);
    double sum = 0.0;

    for (int ky = 0; ky < OSW_BICUBIC_TAPS; ky++)
        for (int kx = 0; kx < OSW_BICUBIC_TAPS; kx++) {
            double v = osw_image_get(&b->in, s.n, s.c,
                                     osw_bicubic_clamp(ty.first + ky, b->in.y),
                                     osw_bicubic_clamp(tx.first + kx, b->in.x));

            v *= ty.weight[ky] * tx.weight[kx];
            sum += v;
        }
    return sum;
}

/* Of the gradient of the input. */
OSW_HD static inline double osw_bicubic_backward_at(const struct osw_bicubic *b,
                                                    int64_t i)
{
    struct osw_spot s = osw_image_spot(&b->in, i);
    int64_t y0, y1, x0, x1;
    double sum = 0.0;

    osw_bicubic_takers(b, 0, s.y, &y0, &y1);
    osw_bicubic_takers(b, 1, s.x, &x0, &x1);
    for (int64_t y = y0; y < y1; y++) {
        double share = osw_bicubic_share(b, 0, y, s.y);

        for (int64_t x = x0; x < x1; x++)
            sum += osw_image_get(&b->out, s.n, s.c, y, x) * share *
                   osw_bicubic_share(b, 1, x, s.x);
    }
    return sum;
}

/* --- arguments --- */

/* factor: 0 where it is not given. */
static inline void osw_bicubic_scale(struct osw_bicubic *b, int axis,
                                     double factor, int64_t n_in, int64_t n_out)
{
    if (b->align_corners)
        b->scale[axis] =
            n_out > 1 ? (double)(n_in - 1) / (double)(n_out - 1) : 0.0;
    else
        b->scale[axis] =
            factor > 0.0 ? 1.0 / factor : (double)n_in / (double)n_out;
}

/* (input, output_size, align_corners, scale_factors) -> out */
static inline int osw_bicubic_open(const osw_call *call, struct osw_bicubic *b)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[4];
    double factor[2];
    osw_tensor *out;

    if (!x || x->ndim != 4)
        return osw_error(call, "expected a tensor of 4 dimensions");
    if (!osw_image_is_float(x))
        return OSW_UNSUPPORTED;
    b->align_corners = osw_arg_int(call, 2, 0) != 0;
    shape[0] = x->shape[0];
    shape[1] = x->shape[1];
    if (osw_resample_sizes(call, 1, 3, x->shape + 2, shape + 2, factor))
        return OSW_ERROR;
    for (int axis = 0; axis < 2; axis++)
        osw_bicubic_scale(b, axis, factor[axis], x->shape[2 + axis],
                          shape[2 + axis]);
    out = osw_output(call, 0, x->dtype, 4, shape, NULL);
    if (!out)
        return OSW_ERROR;
    return osw_image_of(&b->in, x) || osw_image_of(&b->out, out);
}

/* (grad_output, output_size, input_size, align_corners, scales_h, scales_w) ->
 * the gradient of the input: b->in, and b->out is grad_output
 */
static inline int osw_bicubic_open_backward(const osw_call *call,
                                            struct osw_bicubic *b)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_arg *sizes = osw_arg_at(call, 2);
    int64_t shape[4];
    osw_tensor *out;

    if (!grad || grad->ndim != 4 || sizes->tag != OSW_ARG_LIST || sizes->n != 4)
        return osw_error(call, "expected tensor and sizes of 4 dimensions");
    if (!osw_image_is_float(grad))
        return OSW_UNSUPPORTED;
    b->align_corners = osw_arg_int(call, 3, 0) != 0;
    for (int d = 0; d < 4; d++)
        shape[d] = sizes->u.items[d].u.i;
    if (shape[0] != grad->shape[0] || shape[1] != grad->shape[1] ||
        shape[2] < 1 || shape[3] < 1)
        return osw_error(call, "input_size does not fit grad_output");
    for (int axis = 0; axis < 2; axis++)
        osw_bicubic_scale(b, axis, osw_arg_float(call, 4 + axis, 0.0),
                          shape[2 + axis], grad->shape[2 + axis]);
    out = osw_output(call, 0, grad->dtype, 4, shape, NULL);
    if (!out)
        return OSW_ERROR;
    return osw_image_of(&b->in, out) || osw_image_of(&b->out, grad);
}

#endif /* OSW_LIBRARY_BICUBIC_H */
