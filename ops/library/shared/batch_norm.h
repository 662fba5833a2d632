/* shared/batch_norm.h - arguments of native_batch_norm and its backward, in C
 * and in kernels
 *
 * A channel is everything that has the same index in dimension 1: n elements.
 */
#ifndef OSW_LIBRARY_BATCH_NORM_H
#define OSW_LIBRARY_BATCH_NORM_H

#include "image.h"

struct osw_batch_norm {
    struct osw_image x, out; /* of one shape; out: NULL data where not wanted */
    struct osw_image grad;   /* backward */
    int64_t n;               /* elements of a channel */
    int like_input; /* asked for: out is dense as the input is, also where that
                       has its channels side by side */
    int training;
    double momentum, eps;
    struct osw_channels weight, bias, running_mean, running_var;
    struct osw_channels mean, invstd; /* saved: written by the forward op */
    struct osw_channels dweight, dbias;
    int i_out, i_dweight, i_dbias; /* numbers of outputs, -1: not wanted */
};

/* The element with number i of channel c. */
OSW_HD static inline double osw_batch_norm_get(const struct osw_image *m,
                                               int64_t c, int64_t i)
{
    return osw_image_get(m, i / (m->x * m->y), c, i / m->x % m->y, i % m->x);
}

OSW_HD static inline double osw_batch_norm_invstd(double variance, double eps)
{
    return 1.0 / sqrt(variance + eps);
}

/* What a call keeps of the statistics of a channel. */
OSW_HD static inline void osw_batch_norm_keep(const struct osw_batch_norm *b,
                                              int64_t c, double mean,
                                              double variance)
{
    double m = b->momentum, n = (double)b->n;

    osw_channels_set(&b->mean, c, mean);
    osw_channels_set(&b->invstd, c, osw_batch_norm_invstd(variance, b->eps));
    if (b->running_mean.data)
        osw_channels_set(&b->running_mean, c,
                         (1 - m) * osw_channels_get(&b->running_mean, c, 0) +
                             m * mean);
    if (b->running_var.data)
        osw_channels_set(&b->running_var, c,
                         (1 - m) * osw_channels_get(&b->running_var, c, 0) +
                             m * variance * n / (n - 1));
}

/* --- arguments --- */

/* The batch of [n, c] is a row.  0, or OSW_UNSUPPORTED. */
static inline int osw_batch_norm_image(struct osw_image *m, const osw_tensor *t)
{
    int rc = osw_image_joined(m, t);

    if (t->ndim == 2) {
        m->n = 1;
        m->x = t->shape[0];
        m->step[3] = t->strides[0];
    }
    return rc;
}

/* Are the channels of a place side by side, and places dense? */
static inline int osw_batch_norm_channels_last(const struct osw_image *m)
{
    return m->step[1] == 1 && m->step[3] == m->c &&
           (m->y == 1 || m->step[2] == m->c * m->x) &&
           (m->n == 1 || m->step[0] == m->c * m->x * m->y);
}

/* Declares output i: of the input's shape. */
static inline int osw_batch_norm_declare(const osw_call *call,
                                         struct osw_batch_norm *b, int i,
                                         const osw_tensor *x)
{
    int like = b->like_input && osw_batch_norm_channels_last(&b->x);
    const osw_tensor *t = osw_output(call, i, x->dtype, x->ndim, x->shape,
                                     like ? x->strides : NULL);

    return t ? osw_batch_norm_image(&b->out, t) : OSW_ERROR;
}

/* 0, OSW_UNSUPPORTED or OSW_ERROR. */
static inline int osw_batch_norm_input(const osw_call *call,
                                       struct osw_batch_norm *b,
                                       const osw_tensor *x)
{
    if (!x || x->ndim < 2)
        return osw_error(call, "expected a tensor of 2 or more dimensions");
    if (!osw_image_is_float(x) || x->ndim > 5)
        return OSW_UNSUPPORTED;
    b->n = x->shape[1] ? osw_numel(x) / x->shape[1] : 0;
    return osw_batch_norm_image(&b->x, x);
}

/* Argument i: None, or a number for each channel. */
static inline int osw_batch_norm_vector(const osw_call *call,
                                        const struct osw_batch_norm *b, int i,
                                        struct osw_channels *v)
{
    const osw_tensor *t = osw_arg_tensor(call, i);

    if (t && osw_numel(t) != b->x.c)
        return osw_error(call, "expected a number for each channel");
    return osw_channels_of(v, t);
}

/* Output i, a number for each channel. */
static inline int osw_batch_norm_output(const osw_call *call, int i,
                                        osw_dtype dtype, int64_t n,
                                        struct osw_channels *v)
{
    osw_tensor *t = osw_output(call, i, dtype, 1, &n, NULL);

    return t ? osw_channels_of(v, t) : OSW_ERROR;
}

/* Running statistics are further outputs: arguments that are written. */
static inline int osw_batch_norm_running(const osw_call *call, int training)
{
    int n = 3;

    for (int arg = 3; training && arg < 5; arg++)
        if (osw_arg_tensor(call, arg) && !osw_output_alias(call, n++, arg))
            return OSW_ERROR;
    return 0;
}

/* (input, weight, bias, running_mean, running_var, training, momentum, eps) ->
 * (out, mean, invstd), the last two of f32 for 16-bit inputs, and empty where
 * the running statistics are used.  Else these are written.
 */
static inline int osw_batch_norm_open(const osw_call *call,
                                      struct osw_batch_norm *b)
{
    const osw_dtype f32 = {OSW_FLOAT, 32, 1};
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int rc = osw_batch_norm_input(call, b, x);
    struct osw_channels *v[] = {&b->weight, &b->bias, &b->running_mean,
                                &b->running_var};
    osw_dtype stat;

    for (int i = 0; !rc && i < 4; i++)
        rc = osw_batch_norm_vector(call, b, 1 + i, v[i]);
    if (rc)
        return rc;
    b->training = osw_arg_int(call, 5, 0) != 0;
    b->momentum = osw_arg_float(call, 6, 0.1);
    b->eps = osw_arg_float(call, 7, 1e-5);
    if (!b->training && (!osw_arg_tensor(call, 3) || !osw_arg_tensor(call, 4)))
        return osw_error(call, "no running statistics to use");
    stat = x->dtype.bits == 16 ? f32 : x->dtype;
    if (osw_batch_norm_declare(call, b, 0, x) ||
        osw_batch_norm_output(call, 1, stat, b->training ? b->x.c : 0,
                              &b->mean) ||
        osw_batch_norm_output(call, 2, stat, b->training ? b->x.c : 0,
                              &b->invstd))
        return OSW_ERROR;
    return osw_batch_norm_running(call, b->training);
}

/* Those of (dx, dweight, dbias) that the mask asks for. */
static inline int osw_batch_norm_gradients(const osw_call *call,
                                           struct osw_batch_norm *b)
{
    const osw_arg *mask = osw_arg_at(call, 9);
    const osw_tensor *x = osw_arg_tensor(call, 1);
    const osw_tensor *weight = osw_arg_tensor(call, 2);
    osw_dtype dtype = weight ? weight->dtype : x->dtype;
    int n = 0;

    if (mask->tag != OSW_ARG_LIST || mask->n != 3)
        return osw_error(call, "expected a mask of three");
    b->i_out = mask->u.items[0].u.i ? n++ : -1;
    if (b->i_out >= 0 && osw_batch_norm_declare(call, b, b->i_out, x))
        return OSW_ERROR;
    b->i_dweight = mask->u.items[1].u.i ? n++ : -1;
    if (b->i_dweight >= 0 &&
        osw_batch_norm_output(call, b->i_dweight, dtype, b->x.c, &b->dweight))
        return OSW_ERROR;
    b->i_dbias = mask->u.items[2].u.i ? n++ : -1;
    if (b->i_dbias >= 0 &&
        osw_batch_norm_output(call, b->i_dbias, dtype, b->x.c, &b->dbias))
        return OSW_ERROR;
    return 0;
}

/* (grad_out, input, weight, running_mean, running_var, save_mean, save_invstd,
 * train, eps, output_mask): without train, by the running statistics
 */
static inline int osw_batch_norm_open_backward(const osw_call *call,
                                               struct osw_batch_norm *b)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_tensor *x = osw_arg_tensor(call, 1);
    int rc = osw_batch_norm_input(call, b, x);

    if (rc)
        return rc;
    if (!grad || !osw_image_same_shape(grad, x))
        return osw_error(call, "expected a gradient like the input");
    if (!osw_image_is_float(grad) || osw_batch_norm_image(&b->grad, grad))
        return OSW_UNSUPPORTED;
    b->training = osw_arg_int(call, 7, 0) != 0;
    b->eps = osw_arg_float(call, 8, 1e-5);
    rc = osw_batch_norm_vector(call, b, 2, &b->weight);
    if (!rc)
        rc = osw_batch_norm_vector(call, b, b->training ? 5 : 3, &b->mean);
    if (!rc)
        rc = osw_batch_norm_vector(call, b, b->training ? 6 : 4, &b->invstd);
    if (rc)
        return rc;
    if (!osw_arg_tensor(call, b->training ? 5 : 3) ||
        !osw_arg_tensor(call, b->training ? 6 : 4))
        return osw_error(call, "no mean and deviation of the channels");
    return osw_batch_norm_gradients(call, b);
}

/* The deviation of a channel in a backward op: one over it. */
OSW_HD static inline double osw_batch_norm_scale(const struct osw_batch_norm *b,
                                                 int64_t c)
{
    double v = osw_channels_get(&b->invstd, c, 1);

    return b->training ? v : osw_batch_norm_invstd(v, b->eps);
}

#endif /* OSW_LIBRARY_BATCH_NORM_H */
