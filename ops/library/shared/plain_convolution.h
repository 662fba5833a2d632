/* shared/plain_convolution.h - baselines: a convolution as loops over channels,
 * taps and positions
 *
 * Tensors are copied to dense doubles first, and every sum is in double: a loop
 * that does not try for more is no faster in float.
 */
#ifndef OSW_LIBRARY_PLAIN_CONVOLUTION_H
#define OSW_LIBRARY_PLAIN_CONVOLUTION_H

#include "convolution.h"

#include <omp.h>

/* What is added to: y += x * w, x += y * w, or w += x * y. */
enum osw_plain_conv_makes {
    OSW_PLAIN_CONV_Y,
    OSW_PLAIN_CONV_X,
    OSW_PLAIN_CONV_W
};

static inline void osw_plain_conv_line(enum osw_plain_conv_makes makes,
                                       int64_t n, int64_t step, double *x,
                                       double *y, double *w)
{
    double sum = 0.0, by = *w;
    int64_t i;

    switch (makes) {
    case OSW_PLAIN_CONV_Y:
        for (i = 0; i < n; i++)
            y[i] += by * x[i * step];
        break;
    case OSW_PLAIN_CONV_X:
        for (i = 0; i < n; i++)
            x[i * step] += by * y[i];
        break;
    case OSW_PLAIN_CONV_W:
        for (i = 0; i < n; i++)
            sum += x[i * step] * y[i];
        *w += sum;
        break;
    }
}

/* One channel of x, one of y, and the kernel between them. */
static inline void osw_plain_conv_channels(const struct osw_conv *c,
                                           enum osw_plain_conv_makes makes,
                                           double *x, double *y, double *w)
{
    int64_t k[OSW_CONV_DIMS], lo[OSW_CONV_DIMS], hi[OSW_CONV_DIMS];
    int64_t shift[OSW_CONV_DIMS], i, j;
    struct osw_conv_axis axis[OSW_CONV_DIMS];
    int d;

    for (d = 0; d < OSW_CONV_DIMS; d++)
        axis[d] = osw_conv_axis_y(c, d);
    for (k[0] = 0; k[0] < c->k[0]; k[0]++)
        for (k[1] = 0; k[1] < c->k[1]; k[1]++)
            for (k[2] = 0; k[2] < c->k[2]; k[2]++, w++) {
                for (d = 0; d < OSW_CONV_DIMS; d++) {
                    shift[d] = k[d] * c->dilation[d] - c->padding[d];
                    osw_conv_inside(&axis[d], shift[d], 0, c->y[d], &lo[d],
                                    &hi[d]);
                }
                for (i = lo[0]; i < hi[0]; i++)
                    for (j = lo[1]; j < hi[1]; j++) {
                        int64_t of_y = (i * c->y[1] + j) * c->y[2] + lo[2];
                        int64_t of_x =
                            ((i * c->stride[0] + shift[0]) * c->x[1] +
                             j * c->stride[1] + shift[1]) *
                                c->x[2] +
                            lo[2] * c->stride[2] + shift[2];

                        if (lo[2] < hi[2])
                            osw_plain_conv_line(makes, hi[2] - lo[2],
                                                c->stride[2], x + of_x,
                                                y + of_y, w);
                    }
            }
}

/* t in dense doubles, at *room, which moves on. */
static inline double *osw_plain_conv_copy(const osw_tensor *t, double **room)
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

/* Doubles of scratch that the functions below need, for each thread. */
static inline int64_t osw_plain_conv_scratch(const struct osw_conv *c)
{
    int64_t x = osw_conv_prod(c->x), y = osw_conv_prod(c->y);
    int64_t k = osw_conv_prod(c->k);

    return x > y ? (x > k ? x : k) : (y > k ? y : k);
}

/* Channel `channel` of image n of x or y, in one plane of scratch. */
static inline void osw_plain_conv_plane(const struct osw_conv *c, int to_y,
                                        int64_t n, int64_t channel,
                                        double *from, double *w, double *plane)
{
    int64_t n_to = to_y ? c->n_y : c->n_x, n_from = to_y ? c->n_x : c->n_y;
    int64_t group = channel / n_to, to = channel % n_to;
    int64_t size = osw_conv_prod(to_y ? c->x : c->y);

    for (int64_t i = 0; i < n_from; i++) {
        double *read = from + ((n * c->groups + group) * n_from + i) * size;
        int64_t of_y = group * c->n_y + (to_y ? to : i);
        int64_t of_w = of_y * c->n_x + (to_y ? i : to);

        osw_plain_conv_channels(c, to_y ? OSW_PLAIN_CONV_Y : OSW_PLAIN_CONV_X,
                                to_y ? read : plane, to_y ? plane : read,
                                w + of_w * osw_conv_prod(c->k));
    }
}

/* y from x and w, or x from y and w: to `to`, contiguous, plus the bias. */
static inline void osw_plain_conv_planes(const osw_call *call,
                                         const struct osw_conv *c, int to_y,
                                         double *from, double *w,
                                         const osw_tensor *bias, osw_tensor *to,
                                         double *scratch)
{
    int64_t size = osw_conv_prod(to_y ? c->y : c->x);
    int threads = (int)call->n_threads;

#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < c->batch * to->shape[1]; i++) {
        double *plane =
            scratch + omp_get_thread_num() * osw_plain_conv_scratch(c);
        int64_t channel = i % to->shape[1];

        for (int64_t j = 0; j < size; j++)
            plane[j] = bias ? osw_get(bias, channel) : 0.0;
        osw_plain_conv_plane(c, to_y, i / to->shape[1], channel, from, w,
                             plane);
        for (int64_t j = 0; j < size; j++)
            osw_store(to->dtype, osw_at(to, i * size + j), plane[j]);
    }
}

/* The gradient of w: to `to`, contiguous. */
static inline void osw_plain_conv_kernels(const osw_call *call,
                                          const struct osw_conv *c, double *x,
                                          double *y, osw_tensor *to,
                                          double *scratch)
{
    int64_t size_x = osw_conv_prod(c->x), size_y = osw_conv_prod(c->y);
    int64_t taps = osw_conv_prod(c->k);
    int threads = (int)call->n_threads;

#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < c->groups * c->n_y * c->n_x; i++) {
        double *w = scratch + omp_get_thread_num() * osw_plain_conv_scratch(c);
        int64_t of_y = i / c->n_x, of_x = of_y / c->n_y * c->n_x + i % c->n_x;

        for (int64_t j = 0; j < taps; j++)
            w[j] = 0.0;
        for (int64_t n = 0; n < c->batch; n++)
            osw_plain_conv_channels(
                c, OSW_PLAIN_CONV_W,
                x + (n * c->groups * c->n_x + of_x) * size_x,
                y + (n * c->groups * c->n_y + of_y) * size_y, w);
        for (int64_t j = 0; j < taps; j++)
            osw_store(to->dtype, osw_at(to, i * taps + j), w[j]);
    }
}

#endif /* OSW_LIBRARY_PLAIN_CONVOLUTION_H */
