/* shared/convolution_reference.h - sums of a convolution, in double
 *
 * Each is a product of matrices in blocks: a [i, k] holds weights (or y), b [k,
 * j] what the taps meet, with 0 for padding.  The norm is that of the terms.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_REFERENCE_H
#define OSW_LIBRARY_CONVOLUTION_REFERENCE_H

#include "convolution.h"

#include <math.h>
#include <omp.h>

enum { OSW_CONV_I = 32, OSW_CONV_J = 256, OSW_CONV_K = 64 };

/* Scratch of one thread. */
struct osw_conv_block {
    double a[OSW_CONV_I][OSW_CONV_K], b[OSW_CONV_K][OSW_CONV_J];
    double sum[OSW_CONV_I][OSW_CONV_J], squares[OSW_CONV_I][OSW_CONV_J];
};

/* An output in double, contiguous, and the norms of its terms (or NULL). */
struct osw_conv_exact {
    double *sum, *norm;
};

static inline int64_t osw_conv_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline void osw_conv_multiply(struct osw_conv_block *t, int64_t ni,
                                     int64_t nj, int64_t nk)
{
    for (int64_t i = 0; i < ni; i++)
        for (int64_t k = 0; k < nk; k++) {
            const double x = t->a[i][k], *b = t->b[k];
            double *sum = t->sum[i], *squares = t->squares[i];

            for (int64_t j = 0; j < nj; j++) {
                double term = x * b[j];

                sum[j] += term;
                squares[j] += term * term;
            }
        }
}

/* What a tap meets at positions [j0, j0 + nj), `pitch` apart in to[]. */
static inline void osw_conv_gather(const struct osw_conv_image *m,
                                   const struct osw_conv_part *p,
                                   int64_t channel, const int64_t *shift,
                                   int64_t j0, int64_t nj, double *to,
                                   int64_t pitch)
{
    struct osw_conv_run r = {0};

    while (osw_conv_next(p, j0, nj, &r))
        for (int64_t i = 0; i < r.n; i++) {
            int64_t at[OSW_CONV_DIMS];
            int inside = 1;

            for (int d = 0; d < OSW_CONV_DIMS; d++) {
                at[d] =
                    (r.q[d] + (d == 2 ? i : 0)) * p->axis[d].step + shift[d];
                inside &= at[d] >= 0 && at[d] < p->axis[d].size;
            }
            to[(r.j + i) * pitch] =
                inside ? osw_load(m->dtype, osw_conv_at(m, r.batch, channel,
                                                        at[0], at[1], at[2]))
                       : 0.0;
        }
}

/* --- x or y --- */

struct osw_conv_sums {
    const struct osw_conv *c;
    int to_y;
    struct osw_conv_image from, w;
    const osw_tensor *bias; /* NULL: none */
    struct osw_conv_exact to;
};

/* The blocks of a and b for terms [k0, k0 + nk): term k is a channel of the
 * tensor that is read, and a tap.
 */
static inline void osw_conv_read_terms(const struct osw_conv_sums *s,
                                       const struct osw_conv_part *p,
                                       int64_t group, int64_t i0, int64_t ni,
                                       int64_t j0, int64_t nj, int64_t k0,
                                       int64_t nk, struct osw_conv_block *t)
{
    const struct osw_conv *c = s->c;
    int64_t taps = osw_conv_taps(p), shift[OSW_CONV_DIMS];
    int64_t n_from = s->to_y ? c->n_x : c->n_y;

    for (int64_t k = 0; k < nk; k++) {
        int64_t channel = (k0 + k) / taps;
        int64_t tap = osw_conv_tap_at(c, p, (k0 + k) % taps, shift);
        int64_t at[] = {tap / (c->k[1] * c->k[2]), tap / c->k[2] % c->k[1],
                        tap % c->k[2]};

        osw_conv_gather(&s->from, p, group * n_from + channel, shift, j0, nj,
                        t->b[k], 1);
        for (int64_t i = 0; i < ni; i++) {
            int64_t y = s->to_y ? i0 + i : channel;
            int64_t x = s->to_y ? channel : i0 + i;

            t->a[i][k] =
                osw_load(s->w.dtype, osw_conv_at(&s->w, group * c->n_y + y, x,
                                                 at[0], at[1], at[2]));
        }
    }
}

static inline void osw_conv_put(const struct osw_conv_sums *s,
                                const struct osw_conv_part *p, int64_t channel,
                                int64_t j0, int64_t nj, const double *sum,
                                const double *squares)
{
    const struct osw_conv *c = s->c;
    const int64_t *size = s->to_y ? c->y : c->x;
    int64_t n = c->groups * (s->to_y ? c->n_y : c->n_x);
    double bias = s->bias ? osw_get(s->bias, channel) : 0.0;
    struct osw_conv_run r = {0};

    while (osw_conv_next(p, j0, nj, &r)) {
        int64_t at = (r.batch * n + channel) * osw_conv_prod(size) +
                     osw_conv_place(p, r.q, size);

        for (int64_t i = 0; i < r.n; i++) {
            int64_t j = r.j + i, to = at + i * p->axis[2].by;

            s->to.sum[to] = sum[j] + bias;
            if (s->to.norm)
                s->to.norm[to] = sqrt(squares[j] + bias * bias);
        }
    }
}

static inline void osw_conv_sum_block(const struct osw_conv_sums *s,
                                      const struct osw_conv_part *p,
                                      int64_t group, int64_t i0, int64_t j0,
                                      struct osw_conv_block *t)
{
    const struct osw_conv *c = s->c;
    int64_t n_to = s->to_y ? c->n_y : c->n_x;
    int64_t n_k = (s->to_y ? c->n_x : c->n_y) * osw_conv_taps(p);
    int64_t ni = osw_conv_least(n_to - i0, OSW_CONV_I);
    int64_t nj =
        osw_conv_least(c->batch * osw_conv_positions(p) - j0, OSW_CONV_J);

    memset(t->sum, 0, sizeof(t->sum[0]) * (size_t)ni);
    memset(t->squares, 0, sizeof(t->squares[0]) * (size_t)ni);
    for (int64_t k0 = 0; k0 < n_k; k0 += OSW_CONV_K) {
        int64_t nk = osw_conv_least(n_k - k0, OSW_CONV_K);

        osw_conv_read_terms(s, p, group, i0, ni, j0, nj, k0, nk, t);
        osw_conv_multiply(t, ni, nj, nk);
    }
    for (int64_t i = 0; i < ni; i++)
        osw_conv_put(s, p, group * n_to + i0 + i, j0, nj, t->sum[i],
                     t->squares[i]);
}

/* y from x and the weight, or x from y; t: scratch for each thread. */
static inline void osw_conv_sum(const osw_call *call,
                                const struct osw_conv_sums *s,
                                struct osw_conv_block *t)
{
    const struct osw_conv *c = s->c;
    int64_t n_to = s->to_y ? c->n_y : c->n_x;
    int64_t blocks_i = (n_to + OSW_CONV_I - 1) / OSW_CONV_I;
    int threads = (int)call->n_threads;

    for (int64_t part = 0; part < osw_conv_n_parts(c, s->to_y); part++) {
        struct osw_conv_part p;
        int64_t blocks_j, n;

        osw_conv_part_of(c, s->to_y, part, &p);
        blocks_j =
            (c->batch * osw_conv_positions(&p) + OSW_CONV_J - 1) / OSW_CONV_J;
        n = c->groups * blocks_i * blocks_j;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t i = 0; i < n; i++)
            osw_conv_sum_block(s, &p, i / (blocks_i * blocks_j),
                               i / blocks_j % blocks_i * OSW_CONV_I,
                               i % blocks_j * OSW_CONV_J,
                               t + omp_get_thread_num());
    }
}

/* --- the gradient of the weight --- */

struct osw_conv_products {
    const struct osw_conv *c;
    struct osw_conv_image x, y;
    struct osw_conv_part p, still; /* of x; of y, which is read as it lies */
    struct osw_conv_exact to;
};

/* Channels [i0, i0 + ni) of y by channels of x and taps [j0, j0 + nj), summed
 * over positions [from, end).
 */
static inline void osw_conv_product_block(const struct osw_conv_products *w,
                                          int64_t group, int64_t i0, int64_t ni,
                                          int64_t j0, int64_t nj, int64_t from,
                                          int64_t end, struct osw_conv_block *t)
{
    const struct osw_conv *c = w->c;
    int64_t taps = osw_conv_taps(&w->p), shift[OSW_CONV_DIMS];
    static const int64_t none[OSW_CONV_DIMS] = {0, 0, 0};

    memset(t->sum, 0, sizeof(t->sum[0]) * (size_t)ni);
    memset(t->squares, 0, sizeof(t->squares[0]) * (size_t)ni);
    for (int64_t k0 = from; k0 < end; k0 += OSW_CONV_K) {
        int64_t nk = osw_conv_least(end - k0, OSW_CONV_K);

        for (int64_t i = 0; i < ni; i++)
            osw_conv_gather(&w->y, &w->still, group * c->n_y + i0 + i, none, k0,
                            nk, t->a[i], 1);
        for (int64_t j = 0; j < nj; j++) {
            osw_conv_tap_at(c, &w->p, (j0 + j) % taps, shift);
            osw_conv_gather(&w->x, &w->p, group * c->n_x + (j0 + j) / taps,
                            shift, k0, nk, &t->b[0][j], OSW_CONV_J);
        }
        osw_conv_multiply(t, ni, nj, nk);
    }
}

/* A block of the gradient: the threads share the positions. */
static inline void osw_conv_product(const osw_call *call,
                                    const struct osw_conv_products *w,
                                    int64_t group, int64_t i0, int64_t j0,
                                    struct osw_conv_block *t)
{
    const struct osw_conv *c = w->c;
    int64_t n_j = c->n_x * osw_conv_taps(&w->p);
    int64_t ni = osw_conv_least(c->n_y - i0, OSW_CONV_I);
    int64_t nj = osw_conv_least(n_j - j0, OSW_CONV_J);
    int64_t n_k = c->batch * osw_conv_positions(&w->p);
    int threads = (int)call->n_threads;

#pragma omp parallel for num_threads(threads)
    for (int s = 0; s < threads; s++)
        osw_conv_product_block(w, group, i0, ni, j0, nj, n_k * s / threads,
                               n_k * (s + 1) / threads, t + s);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            int64_t at = (group * c->n_y + i0 + i) * n_j + j0 + j;
            double sum = 0.0, squares = 0.0;

            for (int s = 0; s < threads; s++) {
                sum += t[s].sum[i][j];
                squares += t[s].squares[i][j];
            }
            w->to.sum[at] = sum;
            if (w->to.norm)
                w->to.norm[at] = sqrt(squares);
        }
}

static inline void osw_conv_product_all(const osw_call *call,
                                        struct osw_conv_products *w,
                                        struct osw_conv_block *t)
{
    const struct osw_conv *c = w->c;

    osw_conv_part_of(c, 1, 0, &w->p);
    w->still = w->p;
    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        w->still.axis[d].step = 1;
        w->still.axis[d].size = c->y[d];
    }
    for (int64_t group = 0; group < c->groups; group++)
        for (int64_t i = 0; i < c->n_y; i += OSW_CONV_I)
            for (int64_t j = 0; j < c->n_x * osw_conv_taps(&w->p);
                 j += OSW_CONV_J)
                osw_conv_product(call, w, group, i, j, t);
}

/* The sum of a channel over batch and positions. */
static inline void osw_conv_sum_channels(const osw_tensor *t,
                                         struct osw_conv_exact to)
{
    int64_t n = t->shape[1], inner = 1;

    for (int32_t d = 2; d < t->ndim; d++)
        inner *= t->shape[d];
    for (int64_t channel = 0; channel < n; channel++) {
        double sum = 0.0, squares = 0.0;

        for (int64_t i = 0; i < t->shape[0] * inner; i++) {
            double v =
                osw_get(t, (i / inner * n + channel) * inner + i % inner);

            sum += v;
            squares += v * v;
        }
        to.sum[channel] = sum;
        if (to.norm)
            to.norm[channel] = sqrt(squares);
    }
}

/* Output i in double.  0, or OSW_ERROR. */
static inline int osw_conv_exact_of(const osw_call *call, int i,
                                    struct osw_conv_exact *to)
{
    to->sum = osw_output_exact(call, i);
    to->norm = to->sum ? osw_output_norm(call, i) : NULL;
    return to->sum ? 0 : OSW_ERROR;
}

static inline struct osw_conv_block *osw_conv_blocks(const osw_call *call)
{
    return (struct osw_conv_block *)osw_workspace(
        call, sizeof(struct osw_conv_block) * call->n_threads);
}

#endif /* OSW_LIBRARY_CONVOLUTION_REFERENCE_H */
