/* shared/convolution_blocked.h - sums of a convolution, as products in tiles of
 * float (product_blocked.h)
 *
 * The right-hand matrix is never in memory as a whole: a tile gathers its
 * panels from the tensor, with 0 for padding.  16-bit and strided tensors are
 * copied to dense floats first.  x is made in as many products as there are
 * remainders of a place by the stride (convolution.h), so none multiplies zeros
 * between places.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_BLOCKED_H
#define OSW_LIBRARY_CONVOLUTION_BLOCKED_H

#include "convolution_dense.h"
#include "product_blocked.h"

/* Positions whose sum is kept in float: the sums of longer ranges are added in
 * double.
 */
#define OSW_CONV_RANGE 65536

static inline int64_t osw_conv_tiles(int64_t n, int64_t most)
{
    return (n + most - 1) / most;
}

/* Scratch of one thread. */
struct osw_conv_scratch {
    struct osw_tile t;
    int64_t n_runs;
    struct osw_conv_run runs[OSW_TILE_N > OSW_TILE_K ? OSW_TILE_N : OSW_TILE_K];
};

/* --- panels --- */

/* The runs of positions [j0, j0 + nj), for all that is gathered there. */
static inline void osw_conv_list_runs(const struct osw_conv_part *p, int64_t j0,
                                      int64_t nj, struct osw_conv_scratch *to)
{
    struct osw_conv_run r = {0};

    to->n_runs = 0;
    while (osw_conv_next(p, j0, nj, &r))
        to->runs[to->n_runs++] = r;
}

/* i within [0, n] */
static inline int64_t osw_conv_within(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i < n ? i : n;
}

/* What a tap meets at the listed positions of dense images: to t.run. */
static inline void osw_conv_gather_floats(const float *from,
                                          const struct osw_conv_part *p,
                                          int64_t n_channels, int64_t channel,
                                          const struct osw_conv_tap *tap,
                                          struct osw_conv_scratch *s)
{
    const struct osw_conv_axis *a = p->axis;

    for (int64_t n = 0; n < s->n_runs; n++) {
        const struct osw_conv_run *r = &s->runs[n];
        int64_t i = r->q[0] * a[0].step + tap->shift[0];
        int64_t j = r->q[1] * a[1].step + tap->shift[1];
        int64_t lo = 0, hi = 0, step = a[2].step;
        float *restrict to = s->t.run + r->j;
        const float *row;

        if (i >= 0 && i < a[0].size && j >= 0 && j < a[1].size) {
            lo = osw_conv_within(tap->first - r->q[2], r->n);
            hi = osw_conv_within(tap->end - r->q[2], r->n);
        }
        row = from +
              (((r->batch * n_channels + channel) * a[0].size + i) * a[1].size +
               j) *
                  a[2].size +
              r->q[2] * step + tap->shift[2];
        for (int64_t k = 0; k < lo; k++)
            to[k] = 0.0f;
        if (step == 1)
            for (int64_t k = lo; k < hi; k++)
                to[k] = row[k];
        else
            for (int64_t k = lo; k < hi; k++)
                to[k] = row[k * step];
        for (int64_t k = hi; k < r->n; k++)
            to[k] = 0.0f;
    }
}

/* Row k of panels [nk, COLS] from a run of nj columns. */
static inline void osw_conv_put_row(float *run, int64_t nj, int64_t k,
                                    int64_t nk, float *panels)
{
    for (int64_t j = nj; j % OSW_TILE_COLS; j++)
        run[j] = 0.0f;
    for (int64_t j = 0; j < nj; j += OSW_TILE_COLS)
        memcpy(panels + j * nk + k * OSW_TILE_COLS, run + j,
               OSW_TILE_COLS * sizeof(float));
}

/* Column j of panels [nk, width] from a run of nk rows. */
static inline void osw_conv_put_column(const float *run, int64_t j, int64_t nk,
                                       int64_t width, float *panels)
{
    float *to = panels + j / width * width * nk + j % width;

    for (int64_t k = 0; k < nk; k++)
        to[k * width] = run[k];
}

/* c += panels of a by panels of b */
__attribute__((noinline)) static void
osw_conv_multiply_tile(int64_t ni, int64_t nj, int64_t nk, struct osw_tile *t)
{
    for (int64_t j = 0; j < nj; j += OSW_TILE_COLS)
        for (int64_t i = 0; i < ni; i += OSW_TILE_ROWS)
            osw_tile_kernel(nk, t->a + i * nk, t->b + j * nk,
                            t->c + i * OSW_TILE_N + j);
}

/* --- x or y --- */

struct osw_conv_job {
    const struct osw_conv *c;
    int to_y;
    const float *from;  /* dense */
    const float *terms; /* weights of a part: [groups * n_to, n_from * taps] */
    const struct osw_conv_tap *taps; /* of that part */
    const osw_tensor *bias;
    osw_tensor *to;
};

/* The weights of a part by channels of x. */
static inline void osw_conv_turn(const osw_call *call, const struct osw_conv *c,
                                 const struct osw_conv_part *p,
                                 const struct osw_conv_tap *tap,
                                 const float *weight, float *to)
{
    int64_t taps = osw_conv_taps(p), kernel = osw_conv_prod(c->k);
    int threads = (int)call->n_threads;

#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < c->groups * c->n_x; i++)
        for (int64_t t = 0; t < taps; t++) {
            const float *w =
                weight + (i / c->n_x * c->n_y * c->n_x + i % c->n_x) * kernel +
                tap[t].number;

            for (int64_t y = 0; y < c->n_y; y++)
                to[(i * c->n_y + y) * taps + t] = w[y * c->n_x * kernel];
        }
}

/* Rows of the tile to the tensor, with the bias. */
static inline void osw_conv_finish(const struct osw_conv_job *s,
                                   const struct osw_conv_part *part,
                                   int64_t channel, int64_t ni, int64_t j0,
                                   int64_t nj, float *tile)
{
    const struct osw_conv *c = s->c;
    int64_t size[OSW_CONV_DIMS], n = s->to->shape[1];
    struct osw_conv_part p = *part;

    memcpy(size, s->to_y ? c->y : c->x, sizeof(size));
    if (s->to_y) { /* an image lies as one run */
        p.axis[2].n = size[2] = osw_conv_prod(size);
        p.axis[0].n = p.axis[1].n = size[0] = size[1] = 1;
    }
    for (int64_t i = 0; i < ni; i++, channel++) {
        float *row = tile + i * OSW_TILE_N;
        struct osw_conv_run r = {0};

        if (s->bias) {
            float bias = (float)osw_get(s->bias, channel);

            for (int64_t j = 0; j < nj; j++)
                row[j] += bias;
        }
        while (osw_conv_next(&p, j0, nj, &r))
            osw_conv_write_line(
                s->to->dtype, row + r.j, r.n, p.axis[2].by,
                osw_at(s->to, (r.batch * n + channel) * osw_conv_prod(size) +
                                  osw_conv_place(&p, r.q, size)));
    }
}

static inline void osw_conv_tile(const struct osw_conv_job *s,
                                 const struct osw_conv_part *p, int64_t group,
                                 int64_t i0, int64_t ni, int64_t j0, int64_t nj,
                                 struct osw_conv_scratch *scratch)
{
    const struct osw_conv *c = s->c;
    int64_t n_from = s->to_y ? c->n_x : c->n_y, n_taps = osw_conv_taps(p);
    int64_t n_to = s->to_y ? c->n_y : c->n_x, n_k = n_from * n_taps;
    int64_t channel = group * n_from, tap = 0;
    osw_dtype f32 = {OSW_FLOAT, 32, 1};
    struct osw_tile *t = &scratch->t;

    osw_conv_list_runs(p, j0, nj, scratch);
    memset(t->c, 0,
           sizeof(t->c[0]) * (size_t)((ni + OSW_TILE_ROWS) * OSW_TILE_N));
    for (int64_t k0 = 0; k0 < n_k; k0 += OSW_TILE_K) {
        int64_t nk = n_k - k0 < OSW_TILE_K ? n_k - k0 : OSW_TILE_K;
        const float *terms = s->terms + (group * n_to + i0) * n_k + k0;

        osw_tile_pack(f32, (const char *)terms, n_k, 1, ni, nk, OSW_TILE_ROWS,
                      t->run, t->a);
        for (int64_t k = 0; k < nk; k++) {
            osw_conv_gather_floats(s->from, p, c->groups * n_from, channel,
                                   &s->taps[tap], scratch);
            osw_conv_put_row(t->run, nj, k, nk, t->b);
            if (++tap == n_taps) {
                tap = 0;
                channel++;
            }
        }
        osw_conv_multiply_tile(ni, nj, nk, t);
    }
    osw_conv_finish(s, p, group * n_to + i0, ni, j0, nj, t->c);
}

static inline void osw_conv_each_tile(const osw_call *call,
                                      const struct osw_conv_job *s,
                                      const struct osw_conv_part *p,
                                      struct osw_conv_scratch *tiles)
{
    const struct osw_conv *c = s->c;
    int64_t n_i = s->to_y ? c->n_y : c->n_x;
    int64_t n_j = c->batch * osw_conv_positions(p);
    int64_t tiles_i = osw_conv_tiles(n_i, OSW_TILE_M - OSW_TILE_ROWS);
    int64_t tiles_j = osw_conv_tiles(n_j, OSW_TILE_N);
    int64_t n = c->groups * tiles_i * tiles_j;
    int64_t height = osw_conv_tiles(n_i, tiles_i ? tiles_i : 1);
    int threads = (int)call->n_threads;

#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < n; i++) {
        int64_t i0 = i / tiles_j % tiles_i * height;
        int64_t j0 = i % tiles_j * OSW_TILE_N;
        int64_t ni = n_i - i0 < height ? n_i - i0 : height;
        int64_t nj = n_j - j0 < OSW_TILE_N ? n_j - j0 : OSW_TILE_N;

        if (ni > 0)
            osw_conv_tile(s, p, i / tiles_j / tiles_i, i0, ni, j0, nj,
                          tiles + omp_get_thread_num());
    }
}

/* weight: dense; terms: room for one part of it turned, where x is made; taps:
 * room for those of the kernel.
 */
static inline void osw_conv_blocked(const osw_call *call,
                                    struct osw_conv_job *s, const float *weight,
                                    float *terms, struct osw_conv_tap *taps,
                                    struct osw_conv_scratch *tiles)
{
    s->taps = taps;
    for (int64_t i = 0; i < osw_conv_n_parts(s->c, s->to_y); i++) {
        struct osw_conv_part p;

        osw_conv_part_of(s->c, s->to_y, i, &p);
        osw_conv_list_taps(s->c, &p, taps);
        if (!s->to_y)
            osw_conv_turn(call, s->c, &p, taps, weight, terms);
        s->terms = s->to_y ? weight : terms;
        osw_conv_each_tile(call, s, &p, tiles);
    }
}

/* --- the gradient of the weight --- */

struct osw_conv_gradient {
    const struct osw_conv *c;
    struct osw_conv_part p, still; /* of x; of y, which is read as it lies */
    const float *x, *y;            /* dense */
    struct osw_conv_tap *taps;     /* [taps] */
    int64_t n_ranges;              /* of positions, summed one by one */
    float *sums;                   /* [n_ranges, elements of the weight] */
};

static inline void osw_conv_open_gradient(const osw_call *call,
                                          struct osw_conv_gradient *g,
                                          const struct osw_conv *c)
{
    int64_t tiles, n = c->batch * osw_conv_prod(c->y);

    g->c = c;
    osw_conv_part_of(c, 1, 0, &g->p);
    g->still = g->p;
    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        g->still.axis[d].step = 1;
        g->still.axis[d].size = c->y[d];
    }
    tiles = c->groups * osw_conv_tiles(c->n_y, OSW_TILE_M) *
            osw_conv_tiles(c->n_x * osw_conv_prod(c->k), OSW_TILE_N);
    g->n_ranges = osw_conv_tiles(n, OSW_CONV_RANGE);
    if (g->n_ranges * tiles < call->n_threads)
        g->n_ranges = osw_conv_tiles(call->n_threads, tiles ? tiles : 1);
}

/* Channels of y from i0 on by channels of x and taps from j0 on, summed over
 * positions [from, end).
 */
static inline void osw_conv_gradient_tile(const struct osw_conv_gradient *g,
                                          int64_t group, int64_t i0, int64_t ni,
                                          int64_t j0, int64_t nj, int64_t from,
                                          int64_t end,
                                          struct osw_conv_scratch *s)
{
    const struct osw_conv *c = g->c;
    struct osw_conv_tap here = {0, {0, 0, 0}, 0, c->y[2]};
    int64_t taps = osw_conv_taps(&g->p);
    struct osw_tile *t = &s->t;

    memset(t->c, 0, sizeof(t->c));
    memset(t->a, 0, sizeof(t->a));
    memset(t->b, 0, sizeof(t->b));
    for (int64_t k0 = from; k0 < end; k0 += OSW_TILE_K) {
        int64_t nk = end - k0 < OSW_TILE_K ? end - k0 : OSW_TILE_K;

        osw_conv_list_runs(&g->p, k0, nk, s);
        for (int64_t i = 0; i < ni; i++) {
            osw_conv_gather_floats(g->y, &g->still, c->groups * c->n_y,
                                   group * c->n_y + i0 + i, &here, s);
            osw_conv_put_column(t->run, i, nk, OSW_TILE_ROWS, t->a);
        }
        for (int64_t j = 0; j < nj; j++) {
            osw_conv_gather_floats(g->x, &g->p, c->groups * c->n_x,
                                   group * c->n_x + (j0 + j) / taps,
                                   &g->taps[(j0 + j) % taps], s);
            osw_conv_put_column(t->run, j, nk, OSW_TILE_COLS, t->b);
        }
        osw_conv_multiply_tile(ni, nj, nk, t);
    }
}

/* Sums of all ranges to the tensor. */
static inline void osw_conv_add_ranges(const osw_call *call,
                                       const struct osw_conv_gradient *g,
                                       osw_tensor *to)
{
    int64_t n = osw_numel(to);
    int threads = n > 65536 ? (int)call->n_threads : 1;

#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < n; i++) {
        double sum = 0.0;
        float f;

        for (int64_t r = 0; r < g->n_ranges; r++)
            sum += g->sums[r * n + i];
        f = (float)sum;
        osw_conv_write_line(to->dtype, &f, 1, 1, osw_at(to, i));
    }
}

static inline void osw_conv_blocked_gradient(const osw_call *call,
                                             const struct osw_conv_gradient *g,
                                             osw_tensor *to,
                                             struct osw_conv_scratch *tiles)
{
    const struct osw_conv *c = g->c;
    int64_t n_j = c->n_x * osw_conv_taps(&g->p);
    int64_t n_k = c->batch * osw_conv_positions(&g->p), r = g->n_ranges;
    int64_t tiles_i = osw_conv_tiles(c->n_y, OSW_TILE_M);
    int64_t tiles_j = osw_conv_tiles(n_j, OSW_TILE_N);
    int threads = (int)call->n_threads;

    osw_conv_list_taps(c, &g->p, g->taps);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < c->groups * tiles_i * tiles_j * r; i++) {
        struct osw_conv_scratch *t = tiles + omp_get_thread_num();
        int64_t group = i / r / tiles_j / tiles_i;
        int64_t i0 = i / r / tiles_j % tiles_i * OSW_TILE_M;
        int64_t j0 = i / r % tiles_j * OSW_TILE_N;
        int64_t ni = c->n_y - i0 < OSW_TILE_M ? c->n_y - i0 : OSW_TILE_M;
        int64_t nj = n_j - j0 < OSW_TILE_N ? n_j - j0 : OSW_TILE_N;
        float *sums =
            g->sums + i % r * osw_numel(to) + (group * c->n_y + i0) * n_j + j0;

        osw_conv_gradient_tile(g, group, i0, ni, j0, nj, n_k * (i % r) / r,
                               n_k * (i % r + 1) / r, t);
        for (int64_t row = 0; row < ni; row++)
            memcpy(sums + row * n_j, t->t.c + row * OSW_TILE_N,
                   (size_t)nj * sizeof(float));
    }
    osw_conv_add_ranges(call, g, to);
}

#endif /* OSW_LIBRARY_CONVOLUTION_BLOCKED_H */
