/* shared/pool.h - windows of pooling, as PyTorch's */
#ifndef OSW_LIBRARY_POOL_H
#define OSW_LIBRARY_POOL_H

#include "image.h"

/* Pairs are [y, x]. */
struct osw_pool {
    struct osw_image in, out; /* the pooled tensor, and one value per window */
    int64_t kernel[2], stride[2], pad[2], dilation[2];
    int like_input; /* asked for: where channels lie side by side in the input,
                       they do in the output */
    int count_include_pad;
    int64_t divisor; /* 0: the size of the window */
};

/* A window along one axis: elements [from, to) of the input; `whole` of them
 * with the padding.
 */
struct osw_window {
    int64_t from, to, whole;
};

OSW_HD static inline int64_t osw_pool_size(const struct osw_image *m, int axis)
{
    return axis ? m->x : m->y;
}

/* The window of average pooling that gives output o. */
OSW_HD static inline struct osw_window osw_pool_window(const struct osw_pool *p,
                                                       int axis, int64_t o)
{
    int64_t size = osw_pool_size(&p->in, axis);
    struct osw_window w;

    w.from = o * p->stride[axis] - p->pad[axis];
    w.to = w.from + p->kernel[axis];
    if (w.to > size + p->pad[axis])
        w.to = size + p->pad[axis];
    w.whole = w.to - w.from;
    if (w.from < 0)
        w.from = 0;
    if (w.to > size)
        w.to = size;
    return w;
}

/* What the sum over a window is divided by. */
OSW_HD static inline int64_t osw_pool_divisor(const struct osw_pool *p,
                                              struct osw_window y,
                                              struct osw_window x)
{
    if (p->divisor)
        return p->divisor;
    if (p->count_include_pad)
        return y.whole * x.whole;
    return (y.to - y.from) * (x.to - x.from);
}

/* Windows [from, to) that input element i lies in. */
OSW_HD static inline struct osw_window
osw_pool_windows(const struct osw_pool *p, int axis, int64_t i)
{
    int64_t before = i + p->pad[axis] - p->kernel[axis];
    int64_t n = osw_pool_size(&p->out, axis);
    struct osw_window w = {0, (i + p->pad[axis]) / p->stride[axis] + 1, 0};

    if (before >= 0)
        w.from = before / p->stride[axis] + 1;
    if (w.to > n)
        w.to = n;
    return w;
}

/* The first element of the window of max pooling that gives output o. */
OSW_HD static inline int64_t osw_pool_first(const struct osw_pool *p, int axis,
                                            int64_t o)
{
    int64_t from = o * p->stride[axis] - p->pad[axis], by = p->dilation[axis];

    return from >= 0 ? from : from + (by - 1 - from) / by * by;
}

/* One past its last. */
OSW_HD static inline int64_t osw_pool_end(const struct osw_pool *p, int axis,
                                          int64_t o)
{
    int64_t size = osw_pool_size(&p->in, axis);
    int64_t to = o * p->stride[axis] - p->pad[axis] +
                 (p->kernel[axis] - 1) * p->dilation[axis] + 1;

    return to < size ? to : size;
}

/* --- arguments --- */

static inline int64_t osw_pool_outputs(const struct osw_pool *p, int axis,
                                       int64_t size, int ceil_mode)
{
    int64_t stride = p->stride[axis];
    int64_t room = size + 2 * p->pad[axis] -
                   p->dilation[axis] * (p->kernel[axis] - 1) - 1 +
                   (ceil_mode ? stride - 1 : 0);
    int64_t n = room < 0 ? 0 : room / stride + 1;

    /* the last window begins inside, or in the padding before */
    if (ceil_mode && (n - 1) * stride >= size + p->pad[axis])
        n--;
    return n;
}

/* Arguments kernel_size, stride, padding from number `at` on, and dilation
 * where it is not -1.  0, or OSW_ERROR.
 */
static inline int osw_pool_read(const osw_call *call, struct osw_pool *p,
                                int at, int dilation)
{
    static const int64_t one[2] = {1, 1}, zero[2] = {0, 0};
    int bad = osw_image_pair(call, at, NULL, p->kernel) ||
              osw_image_pair(call, at + 1, p->kernel, p->stride) ||
              osw_image_pair(call, at + 2, zero, p->pad) ||
              osw_image_pair(call, dilation, one, p->dilation);

    for (int i = 0; !bad && i < 2; i++)
        bad = p->kernel[i] < 1 || p->stride[i] < 1 || p->dilation[i] < 1 ||
              p->pad[i] < 0 || p->pad[i] > p->kernel[i] / 2;
    return bad ? osw_error(call, "kernel_size, stride, padding or dilation is "
                                 "no pair of fitting integers")
               : 0;
}

/* The shape of the output: that of self with other sizes.  0, or OSW_ERROR. */
static inline int osw_pool_shape(const osw_call *call, struct osw_pool *p,
                                 const osw_tensor *self, int ceil_mode,
                                 int64_t *shape)
{
    int32_t k = self->ndim;

    for (int32_t d = 0; d < k - 2; d++)
        shape[d] = self->shape[d];
    for (int axis = 0; axis < 2; axis++) {
        int64_t size = self->shape[k - 2 + axis];

        shape[k - 2 + axis] = osw_pool_outputs(p, axis, size, ceil_mode);
        if (shape[k - 2 + axis] < 1)
            return osw_error(call, "the input is smaller than a window");
    }
    return 0;
}

/* Declares output i like self, of sizes `shape`. */
static inline osw_tensor *osw_pool_declare(const osw_call *call,
                                           const struct osw_pool *p, int i,
                                           const osw_tensor *self,
                                           const int64_t *shape)
{
    int32_t k = self->ndim;
    int64_t c = shape[k - 3], strides[4];
    int like = p->like_input && self->strides[k - 3] == 1 && c > 1;

    strides[k - 1] = c;
    strides[k - 2] = c * shape[k - 1];
    strides[k - 3] = 1;
    if (k == 4)
        strides[0] = strides[2] * shape[2];
    return osw_output(call, i, self->dtype, k, shape, like ? strides : NULL);
}

/* 0, OSW_UNSUPPORTED or OSW_ERROR. */
static inline int osw_pool_input(const osw_call *call, struct osw_pool *p,
                                 const osw_tensor *self)
{
    if (!self || (self->ndim != 3 && self->ndim != 4))
        return osw_error(call, "expected a tensor of 3 or 4 dimensions");
    if (!osw_image_is_float(self))
        return OSW_UNSUPPORTED;
    return osw_image_of(&p->in, self);
}

/* (self, kernel_size, stride, padding, ceil_mode, count_include_pad,
 * divisor_override) -> out
 */
static inline int osw_pool_open_avg(const osw_call *call, struct osw_pool *p)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int rc = osw_pool_input(call, p, self);
    int64_t shape[4];
    osw_tensor *out;

    if (rc || osw_pool_read(call, p, 1, -1) ||
        osw_pool_shape(call, p, self, osw_arg_int(call, 4, 0) != 0, shape))
        return rc ? rc : OSW_ERROR;
    p->count_include_pad = osw_arg_int(call, 5, 1) != 0;
    p->divisor = osw_arg_int(call, 6, 0);
    out = osw_pool_declare(call, p, 0, self, shape);
    return out ? osw_image_of(&p->out, out) : OSW_ERROR;
}

/* (grad_output, self, kernel_size, stride, padding, ceil_mode,
 * count_include_pad, divisor_override) -> the gradient of self: p->in, and
 * p->out is grad_output
 */
static inline int osw_pool_open_avg_backward(const osw_call *call,
                                             struct osw_pool *p)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_tensor *self = osw_arg_tensor(call, 1);
    int rc = osw_pool_input(call, p, self);
    int64_t shape[4];
    osw_tensor *out;

    if (rc || osw_pool_read(call, p, 2, -1) ||
        osw_pool_shape(call, p, self, osw_arg_int(call, 5, 0) != 0, shape))
        return rc ? rc : OSW_ERROR;
    if (!grad || grad->ndim != self->ndim ||
        memcmp(grad->shape, shape, sizeof(int64_t) * (size_t)self->ndim))
        return osw_error(call, "grad_output is not of the output's shape");
    p->count_include_pad = osw_arg_int(call, 6, 1) != 0;
    p->divisor = osw_arg_int(call, 7, 0);
    out = osw_pool_declare(call, p, 0, self, self->shape);
    if (!out)
        return OSW_ERROR;
    return osw_image_of(&p->in, out) || osw_image_of(&p->out, grad);
}

/* Does each window meet an element?  One of a large dilation may lie around the
 * image: there is no maximum.
 */
static inline int osw_pool_meets(const struct osw_pool *p)
{
    for (int axis = 0; axis < 2; axis++)
        for (int64_t o = 0; o * p->stride[axis] < p->pad[axis]; o++)
            if (osw_pool_first(p, axis, o) >= osw_pool_end(p, axis, o))
                return 0;
    return 1;
}

/* (self, kernel_size, stride, padding, dilation, ceil_mode) -> (out, indices),
 * indices within the plane
 */
static inline int osw_pool_open_max(const osw_call *call, struct osw_pool *p,
                                    struct osw_image *indices)
{
    const osw_dtype i64 = {OSW_INT, 64, 1};
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int rc = osw_pool_input(call, p, self);
    osw_tensor *out, *index;
    int64_t shape[4];

    if (rc || osw_pool_read(call, p, 1, 4) ||
        osw_pool_shape(call, p, self, osw_arg_int(call, 5, 0) != 0, shape))
        return rc ? rc : OSW_ERROR;
    if (!osw_pool_meets(p))
        return OSW_UNSUPPORTED;
    out = osw_pool_declare(call, p, 0, self, shape);
    index = osw_output(call, 1, i64, self->ndim, shape, NULL);
    if (!out || !index)
        return OSW_ERROR;
    return osw_image_of(&p->out, out) || osw_image_of(indices, index);
}

/* (grad_output, self, kernel_size, stride, padding, dilation, ceil_mode,
 * indices) -> the gradient of self: p->in, and p->out is grad_output.  Each
 * gradient is added where its index says, whatever the window.
 */
static inline int osw_pool_open_max_backward(const osw_call *call,
                                             struct osw_pool *p,
                                             struct osw_image *indices)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_tensor *self = osw_arg_tensor(call, 1);
    const osw_tensor *index = osw_arg_tensor(call, 7);
    int rc = osw_pool_input(call, p, self);
    int64_t shape[4];
    osw_tensor *out;

    if (rc || osw_pool_read(call, p, 2, 5) ||
        osw_pool_shape(call, p, self, osw_arg_int(call, 6, 0) != 0, shape))
        return rc ? rc : OSW_ERROR;
    if (!grad || !index || grad->ndim != self->ndim ||
        !osw_image_same_shape(grad, index) ||
        memcmp(grad->shape, shape, sizeof(int64_t) * (size_t)self->ndim))
        return osw_error(call, "grad_output or indices are not of the "
                               "output's shape");
    if (!osw_is(index, OSW_INT, 64))
        return osw_error(call, "expected indices of i64");
    out = osw_pool_declare(call, p, 0, self, self->shape);
    if (!out)
        return OSW_ERROR;
    return osw_image_of(&p->in, out) || osw_image_of(&p->out, grad) ||
           osw_image_of(indices, index);
}

#endif /* OSW_LIBRARY_POOL_H */
