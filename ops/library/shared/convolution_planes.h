/* shared/convolution_planes.h - sums of a convolution with few channels in a
 * group (depthwise), one channel at a time
 *
 * A channel of an image is copied to floats with a margin of zeros, and for a
 * stride s taken apart into s planes (in each dimension), of every s-th place.
 * Then what a tap meets at all positions is one run of such a plane, the line
 * ends included, and a sum is made of whole planes in one loop.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_PLANES_H
#define OSW_LIBRARY_CONVOLUTION_PLANES_H

#include "convolution_dense.h"

#include <math.h>
#include <omp.h>

/* Channels that a tile of a product would be too large for, and bytes of
 * planes: beyond, margins and gaps (padding, dilation) are most of them.
 */
enum { OSW_CONV_FEW = 4, OSW_CONV_PLANES = 1 << 26 };

/* How a channel lies in the copy. */
struct osw_conv_planes {
    const struct osw_conv_part *p;
    int64_t low[OSW_CONV_DIMS];   /* least shift of a tap */
    int64_t split[OSW_CONV_DIMS]; /* planes */
    int64_t size[OSW_CONV_DIMS];  /* of a plane */
    int64_t bytes; /* of all planes, and of a sum; -1: too many */
    int64_t n_sum; /* from the first position to the last */
};

static inline struct osw_conv_planes
osw_conv_planes_of(const struct osw_conv_part *p)
{
    struct osw_conv_planes v = {p, {0}, {0}, {0}, -1, 0};
    double bytes = 4.0, split = 1.0;

    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        const struct osw_conv_axis *a = &p->axis[d];
        int64_t last = a->n_taps ? (a->n_taps - 1) * a->shift_by : 0;

        v.low[d] = a->shift + (last < 0 ? last : 0);
        last = last < 0 ? -last : last;
        v.split[d] = a->step < last + 1 ? a->step : last + 1;
        v.size[d] = a->n + last / a->step;
        bytes *= (double)v.size[d];
        split *= (double)v.split[d];
    }
    if (bytes * (split + 1.0) > OSW_CONV_PLANES)
        return v;
    for (int d = 0; d < OSW_CONV_DIMS; d++)
        v.n_sum = v.n_sum * v.size[d] + p->axis[d].n - 1;
    v.n_sum++;
    v.bytes = (osw_conv_prod(v.size) * (osw_conv_prod(v.split) + 1) * 4 + 63) /
              64 * 64;
    return v;
}

/* Where the sum lies in the scratch of a thread: after the planes. */
static inline float *osw_conv_planes_sum(const struct osw_conv_planes *v,
                                         float *planes)
{
    return planes + osw_conv_prod(v->size) * osw_conv_prod(v->split);
}

/* One of the planes that a channel is taken apart into: its places; the margin
 * is zero already.
 */
static inline void osw_conv_fill_plane(const struct osw_conv_planes *v,
                                       const struct osw_conv_image *m,
                                       int64_t n, int64_t channel,
                                       const int64_t *first, float *to)
{
    const struct osw_conv_axis *a = v->p->axis;
    int64_t lo[OSW_CONV_DIMS], hi[OSW_CONV_DIMS];

    for (int d = 0; d < OSW_CONV_DIMS; d++)
        osw_conv_inside(&a[d], first[d], 0, v->size[d], &lo[d], &hi[d]);
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t j = lo[1]; j < hi[1]; j++)
            osw_conv_read_line(m->dtype,
                               osw_conv_at(m, n, channel,
                                           i * a[0].step + first[0],
                                           j * a[1].step + first[1],
                                           lo[2] * a[2].step + first[2]),
                               a[2].step * m->step[2], hi[2] - lo[2],
                               to + (i * v->size[1] + j) * v->size[2] + lo[2]);
}

static inline void osw_conv_fill(const struct osw_conv_planes *v,
                                 const struct osw_conv_image *m, int64_t n,
                                 int64_t channel, float *to)
{
    for (int64_t i = 0; i < v->split[0]; i++)
        for (int64_t j = 0; j < v->split[1]; j++)
            for (int64_t k = 0; k < v->split[2]; k++) {
                int64_t first[] = {v->low[0] + i, v->low[1] + j, v->low[2] + k};

                osw_conv_fill_plane(v, m, n, channel, first, to);
                to += osw_conv_prod(v->size);
            }
}

/* Where in the copy a tap meets the first position. */
static inline int64_t osw_conv_plane(const struct osw_conv_planes *v,
                                     const int64_t *shift)
{
    int64_t f = 0, at = 0;

    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        int64_t from = shift[d] - v->low[d], step = v->p->axis[d].step;

        f = f * v->split[d] + from % step;
        at = at * v->size[d] + from / step;
    }
    return f * osw_conv_prod(v->size) + at;
}

/* The taps of a part; shift[0] is where in the copy each meets the first
 * position, shift[1] where it is in the kernel of a pair of channels.
 */
static inline void osw_conv_list_planes(const struct osw_conv *c,
                                        const struct osw_conv_planes *v,
                                        const struct osw_conv_image *w,
                                        struct osw_conv_tap *taps)
{
    osw_conv_list_taps(c, v->p, taps);
    for (int64_t i = 0; i < osw_conv_taps(v->p); i++) {
        int64_t at = taps[i].number;

        taps[i].shift[0] = osw_conv_plane(v, taps[i].shift);
        taps[i].shift[1] = at / c->k[2] / c->k[1] * w->step[0] +
                           at / c->k[2] % c->k[1] * w->step[1] +
                           at % c->k[2] * w->step[2];
    }
}

/* --- x or y --- */

struct osw_conv_few {
    const struct osw_conv *c;
    int to_y;
    struct osw_conv_image from, w, to;
    const osw_tensor *bias;
    const struct osw_conv_tap *taps; /* of the part that is made */
};

/* sum += four planes by their weights */
static inline void osw_conv_add_four(int64_t n, const float *weight,
                                     const float *const *plane,
                                     float *restrict sum)
{
    const float *a = plane[0], *b = plane[1], *c = plane[2], *d = plane[3];
    float wa = weight[0], wb = weight[1], wc = weight[2], wd = weight[3];

    for (int64_t i = 0; i < n; i++)
        sum[i] += wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
}

static inline void osw_conv_add_one(int64_t n, float weight, const float *plane,
                                    float *restrict sum)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] += weight * plane[i];
}

/* Add what the taps of one pair of channels meet; y and x: the pair. */
static inline void osw_conv_add_taps(const struct osw_conv_few *s,
                                     const struct osw_conv_planes *v, int64_t y,
                                     int64_t x, const float *planes, float *sum)
{
    const char *w = osw_conv_at(&s->w, y, x, 0, 0, 0);
    int64_t n = osw_conv_taps(v->p), bytes = s->w.dtype.bits / 8;
    const float *plane[4];
    float weight[4];

    for (int64_t t = 0; t < n; t++) {
        weight[t % 4] =
            osw_convert_one(s->w.dtype, w + s->taps[t].shift[1] * bytes);
        plane[t % 4] = planes + s->taps[t].shift[0];
        if (t % 4 == 3)
            osw_conv_add_four(v->n_sum, weight, plane, sum);
    }
    for (int64_t t = 0; t < n % 4; t++)
        osw_conv_add_one(v->n_sum, weight[t], plane[t], sum);
}

/* The lines of the sum to the tensor. */
static inline void osw_conv_put_lines(const struct osw_conv_few *s,
                                      const struct osw_conv_planes *v,
                                      int64_t n, int64_t channel,
                                      const float *sum)
{
    const struct osw_conv_axis *a = v->p->axis;

    for (int64_t i = 0; i < a[0].n; i++)
        for (int64_t j = 0; j < a[1].n; j++)
            osw_conv_write_line(
                s->to.dtype, sum + (i * v->size[1] + j) * v->size[2], a[2].n,
                a[2].by * s->to.step[2],
                osw_conv_at(&s->to, n, channel, a[0].first + i * a[0].by,
                            a[1].first + j * a[1].by, a[2].first));
}

/* One channel of one image. */
static inline void osw_conv_few_one(const struct osw_conv_few *s,
                                    const struct osw_conv_planes *v, int64_t n,
                                    int64_t channel, float *planes)
{
    const struct osw_conv *c = s->c;
    int64_t n_from = s->to_y ? c->n_x : c->n_y;
    int64_t n_to = s->to_y ? c->n_y : c->n_x;
    int64_t group = channel / n_to, to = channel % n_to;
    float bias = s->bias ? (float)osw_get(s->bias, channel) : 0.0f;
    float *sum = osw_conv_planes_sum(v, planes);

    for (int64_t i = 0; i < v->n_sum; i++)
        sum[i] = bias;
    for (int64_t from = 0; from < n_from; from++) {
        osw_conv_fill(v, &s->from, n, group * n_from + from, planes);
        osw_conv_add_taps(s, v, group * c->n_y + (s->to_y ? to : from),
                          s->to_y ? from : to, planes, sum);
    }
    osw_conv_put_lines(s, v, n, channel, sum);
}

/* Bytes of scratch for each thread; -1: too many for planes. */
static inline int64_t osw_conv_few_bytes(const struct osw_conv *c, int to_y)
{
    int64_t most = 0;

    for (int64_t i = 0; i < osw_conv_n_parts(c, to_y); i++) {
        struct osw_conv_part p;
        int64_t bytes;

        osw_conv_part_of(c, to_y, i, &p);
        bytes = osw_conv_planes_of(&p).bytes;
        if (bytes < 0)
            return -1;
        most = bytes > most ? bytes : most;
    }
    return most;
}

static inline void osw_conv_few_channels(const osw_call *call,
                                         struct osw_conv_few *s,
                                         struct osw_conv_tap *taps,
                                         char *scratch)
{
    const struct osw_conv *c = s->c;
    int64_t n_to = c->groups * (s->to_y ? c->n_y : c->n_x);
    int64_t bytes = osw_conv_few_bytes(c, s->to_y);
    int threads = (int)call->n_threads;

    for (int64_t i = 0; i < osw_conv_n_parts(c, s->to_y); i++) {
        struct osw_conv_planes v;
        struct osw_conv_part p;

        osw_conv_part_of(c, s->to_y, i, &p);
        v = osw_conv_planes_of(&p);
        if (osw_conv_positions(&p) == 0)
            continue;
        osw_conv_list_planes(c, &v, &s->w, taps);
        memset(scratch, 0, (size_t)(bytes * threads));
        s->taps = taps;
#pragma omp parallel for num_threads(threads)
        for (int64_t j = 0; j < c->batch * n_to; j++)
            osw_conv_few_one(
                s, &v, j / n_to, j % n_to,
                (float *)(void *)(scratch + omp_get_thread_num() * bytes));
    }
}

/* --- the gradient of the weight --- */

/* Runs are summed in float, their sums in double. */
static inline double osw_conv_dot(int64_t n, const float *a, const float *b)
{
    const int64_t run = 512;
    double total = 0.0;

    for (int64_t i = 0; i < n; i += run) {
        int64_t end = n - i < run ? n : i + run;
        float sum = 0.0f;

#pragma omp simd reduction(+ : sum)
        for (int64_t j = i; j < end; j++)
            sum += a[j] * b[j];
        total += sum;
    }
    return total;
}

/* The same line by line: between them, a zero times infinity would be a NaN
 * that no position has.
 */
static inline double osw_conv_dot_lines(const struct osw_conv_planes *v,
                                        const float *a, const float *b)
{
    const struct osw_conv_axis *axis = v->p->axis;
    double total = 0.0;

    for (int64_t i = 0; i < axis[0].n; i++)
        for (int64_t j = 0; j < axis[1].n; j++) {
            int64_t at = (i * v->size[1] + j) * v->size[2];

            total += osw_conv_dot(axis[2].n, a + at, b + at);
        }
    return total;
}

/* Lines of y where the sum has its lines; between them are zeros already. */
static inline void osw_conv_get_lines(const struct osw_conv_planes *v,
                                      const struct osw_conv_image *y, int64_t n,
                                      int64_t channel, float *to)
{
    const struct osw_conv_axis *a = v->p->axis;

    for (int64_t i = 0; i < a[0].n; i++)
        for (int64_t j = 0; j < a[1].n; j++)
            osw_conv_read_line(y->dtype, osw_conv_at(y, n, channel, i, j, 0),
                               y->step[2], a[2].n,
                               to + (i * v->size[1] + j) * v->size[2]);
}

/* The kernel of channel y, of all channels, and x, of a group: sums [taps]. */
static inline void osw_conv_few_kernel(const struct osw_conv *c,
                                       const struct osw_conv_planes *v,
                                       const struct osw_conv_tap *taps,
                                       const struct osw_conv_image *x,
                                       const struct osw_conv_image *y,
                                       int64_t i_y, int64_t i_x, float *planes,
                                       double *sums)
{
    int64_t n_taps = osw_conv_taps(v->p);
    float *lines = osw_conv_planes_sum(v, planes);

    memset(sums, 0, (size_t)n_taps * sizeof(double));
    for (int64_t n = 0; n < c->batch; n++) {
        osw_conv_fill(v, x, n, i_y / c->n_y * c->n_x + i_x, planes);
        osw_conv_get_lines(v, y, n, i_y, lines);
        for (int64_t t = 0; t < n_taps; t++) {
            const float *met = planes + taps[t].shift[0];
            double dot = osw_conv_dot(v->n_sum, lines, met);

            sums[t] += isfinite(dot) ? dot : osw_conv_dot_lines(v, lines, met);
        }
    }
}

/* Is x or y made in planes?  Is the gradient of the weight? */
static inline int osw_conv_is_few(const struct osw_conv *c, int to_y)
{
    return (to_y ? c->n_y : c->n_x) <= OSW_CONV_FEW &&
           osw_conv_few_bytes(c, to_y) >= 0;
}

static inline int osw_conv_is_few_gradient(const struct osw_conv *c)
{
    return c->n_x <= OSW_CONV_FEW && osw_conv_is_few(c, 1);
}

static inline int64_t osw_conv_few_gradient_bytes(const struct osw_conv *c)
{
    return osw_conv_few_bytes(c, 1) + osw_conv_prod(c->k) * 8;
}

/* to: contiguous */
static inline void
osw_conv_few_gradient(const osw_call *call, const struct osw_conv *c,
                      osw_tensor *to, struct osw_conv_tap *taps, char *scratch)
{
    struct osw_conv_image x = osw_conv_image_of(osw_conv_x(c));
    struct osw_conv_image y = osw_conv_image_of(osw_conv_y(c));
    int64_t bytes = osw_conv_few_gradient_bytes(c);
    int64_t n_taps = osw_conv_prod(c->k);
    int threads = (int)call->n_threads;
    struct osw_conv_planes v;
    struct osw_conv_part p;

    osw_conv_part_of(c, 1, 0, &p);
    v = osw_conv_planes_of(&p);
    osw_conv_list_planes(c, &v, &x, taps);
    memset(scratch, 0, (size_t)(bytes * threads));
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < c->groups * c->n_y * c->n_x; i++) {
        char *room = scratch + omp_get_thread_num() * bytes;
        double *sums = (double *)(void *)(room + v.bytes);

        osw_conv_few_kernel(c, &v, taps, &x, &y, i / c->n_x, i % c->n_x,
                            (float *)(void *)room, sums);
        for (int64_t t = 0; t < n_taps; t++)
            osw_set(to, i * n_taps + t, sums[t]);
    }
}

#endif /* OSW_LIBRARY_CONVOLUTION_PLANES_H */
