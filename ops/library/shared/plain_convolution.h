/* shared/plain_convolution.h - baselines: a convolution as loops over channels,
 * taps and places, for one element at a time
 *
 * Tensors are copied to dense doubles first; a sum of one number at a time is
 * no faster in float.
 */
#ifndef OSW_LIBRARY_PLAIN_CONVOLUTION_H
#define OSW_LIBRARY_PLAIN_CONVOLUTION_H

#include "convolution.h"

/* Element i of an output, from dense a and b. */
typedef double osw_plain_conv_at(const struct osw_conv *c, const double *a,
                                 const double *b, int64_t i);

/* Where element i of a tensor [n, channels, sizes] is. */
struct osw_plain_conv_index {
    int64_t n, channel, at[OSW_CONV_DIMS];
};

static inline struct osw_plain_conv_index
osw_plain_conv_index_of(int64_t i, int64_t channels, const int64_t *size)
{
    struct osw_plain_conv_index x;

    for (int d = OSW_CONV_DIMS - 1; d >= 0; d--) {
        x.at[d] = i % size[d];
        i /= size[d];
    }
    x.channel = i % channels;
    x.n = i / channels;
    return x;
}

static inline int64_t osw_plain_conv_flat(int64_t channel, const int64_t *at,
                                          const int64_t *size)
{
    return ((channel * size[0] + at[0]) * size[1] + at[1]) * size[2] + at[2];
}

/* The place of x that position o meets by tap k, or -1. */
static inline int64_t osw_plain_conv_place(const struct osw_conv *c, int d,
                                           int64_t o, int64_t k)
{
    int64_t at = o * c->stride[d] - c->padding[d] + k * c->dilation[d];

    return at < c->x[d] ? at : -1;
}

/* The position of y that meets place i by tap k, or -1. */
static inline int64_t osw_plain_conv_position(const struct osw_conv *c, int d,
                                              int64_t i, int64_t k)
{
    int64_t at = i + c->padding[d] - k * c->dilation[d];

    if (at < 0 || at % c->stride[d] != 0 || at / c->stride[d] >= c->y[d])
        return -1;
    return at / c->stride[d];
}

/* Element i of y, from x. */
static inline double osw_plain_conv_y(const struct osw_conv *c, const double *x,
                                      const double *w, int64_t i)
{
    struct osw_plain_conv_index o =
        osw_plain_conv_index_of(i, c->groups * c->n_y, c->y);
    int64_t first = (o.n * c->groups + o.channel / c->n_y) * c->n_x;
    int64_t k[OSW_CONV_DIMS], at[OSW_CONV_DIMS];
    double sum = 0.0;

    for (int64_t m = 0; m < c->n_x; m++)
        for (k[0] = 0; k[0] < c->k[0]; k[0]++) {
            at[0] = osw_plain_conv_place(c, 0, o.at[0], k[0]);
            if (at[0] < 0)
                continue;
            for (k[1] = 0; k[1] < c->k[1]; k[1]++) {
                at[1] = osw_plain_conv_place(c, 1, o.at[1], k[1]);
                if (at[1] < 0)
                    continue;
                for (k[2] = 0; k[2] < c->k[2]; k[2]++) {
                    at[2] = osw_plain_conv_place(c, 2, o.at[2], k[2]);
                    if (at[2] >= 0)
                        sum += x[osw_plain_conv_flat(first + m, at, c->x)] *
                               w[osw_plain_conv_flat(o.channel * c->n_x + m, k,
                                                     c->k)];
                }
            }
        }
    return sum;
}

/* Element i of x, from y. */
static inline double osw_plain_conv_x(const struct osw_conv *c, const double *y,
                                      const double *w, int64_t i)
{
    struct osw_plain_conv_index o =
        osw_plain_conv_index_of(i, c->groups * c->n_x, c->x);
    int64_t group = o.channel / c->n_x, in_group = o.channel % c->n_x;
    int64_t k[OSW_CONV_DIMS], at[OSW_CONV_DIMS];
    double sum = 0.0;

    for (int64_t m = group * c->n_y; m < (group + 1) * c->n_y; m++)
        for (k[0] = 0; k[0] < c->k[0]; k[0]++) {
            at[0] = osw_plain_conv_position(c, 0, o.at[0], k[0]);
            if (at[0] < 0)
                continue;
            for (k[1] = 0; k[1] < c->k[1]; k[1]++) {
                at[1] = osw_plain_conv_position(c, 1, o.at[1], k[1]);
                if (at[1] < 0)
                    continue;
                for (k[2] = 0; k[2] < c->k[2]; k[2]++) {
                    at[2] = osw_plain_conv_position(c, 2, o.at[2], k[2]);
                    if (at[2] >= 0)
                        sum += y[osw_plain_conv_flat(
                                   o.n * c->groups * c->n_y + m, at, c->y)] *
                               w[osw_plain_conv_flat(m * c->n_x + in_group, k,
                                                     c->k)];
                }
            }
        }
    return sum;
}

/* Element i of the gradient of w, from x and y. */
static inline double osw_plain_conv_w(const struct osw_conv *c, const double *x,
                                      const double *y, int64_t i)
{
    struct osw_plain_conv_index w = osw_plain_conv_index_of(i, c->n_x, c->k);
    int64_t of_x = w.n / c->n_y * c->n_x + w.channel;
    int64_t p[OSW_CONV_DIMS], at[OSW_CONV_DIMS];
    double sum = 0.0;

    for (int64_t n = 0; n < c->batch; n++)
        for (p[0] = 0; p[0] < c->y[0]; p[0]++) {
            at[0] = osw_plain_conv_place(c, 0, p[0], w.at[0]);
            if (at[0] < 0)
                continue;
            for (p[1] = 0; p[1] < c->y[1]; p[1]++) {
                at[1] = osw_plain_conv_place(c, 1, p[1], w.at[1]);
                if (at[1] < 0)
                    continue;
                for (p[2] = 0; p[2] < c->y[2]; p[2]++) {
                    at[2] = osw_plain_conv_place(c, 2, p[2], w.at[2]);
                    if (at[2] >= 0)
                        sum += x[osw_plain_conv_flat(
                                   n * c->groups * c->n_x + of_x, at, c->x)] *
                               y[osw_plain_conv_flat(
                                   n * c->groups * c->n_y + w.n, p, c->y)];
                }
            }
        }
    return sum;
}

/* t in dense doubles, at *room, which moves on. */
static inline const double *osw_plain_conv_copy(const osw_tensor *t,
                                                double **room)
{
    int64_t n = t->shape[t->ndim - 1];
    int64_t step = t->strides[t->ndim - 1] * (t->dtype.bits / 8);
    double *to = *room;

    *room += osw_numel(t);
    for (int64_t i = 0; i < osw_numel(t); i += n) {
        const char *from = osw_at(t, osw_offset(t, i));

        for (int64_t j = 0; j < n; j++)
            to[i + j] = osw_load(t->dtype, from + j * step);
    }
    return to;
}

/* Every element of `to`, contiguous, plus the bias of its channel. */
static inline void osw_plain_conv_run(const osw_call *call,
                                      const struct osw_conv *c,
                                      osw_plain_conv_at *at, const double *a,
                                      const double *b, const osw_tensor *bias,
                                      osw_tensor *to)
{
    int64_t n = osw_numel(to), inner = 1;
    int threads = (int)call->n_threads;

    for (int32_t d = 2; d < to->ndim; d++)
        inner *= to->shape[d];
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        double v = at(c, a, b, i);

        if (bias)
            v += osw_get(bias, i / inner % to->shape[1]);
        osw_store(to->dtype, osw_at(to, i), v);
    }
}

#endif /* OSW_LIBRARY_PLAIN_CONVOLUTION_H */
