/* shared/product_blocked.h - the product in cache-sized tiles of float
 *
 * A tile of out, [TILE_M, TILE_N], is one task.  For each step of TILE_K along
 * k, its thread packs the panels of a and b as float, whatever their dtype and
 * strides, and multiplies them with a kernel that keeps [ROWS, 2 * LANES] sums
 * in registers.  Tile, panels and sums of one thread fit its second-level
 * cache; threads share nothing.
 */
#ifndef OSW_LIBRARY_PRODUCT_BLOCKED_H
#define OSW_LIBRARY_PRODUCT_BLOCKED_H

#include "convert.h"
#include "product.h"

#include <omp.h>

#if defined(__AVX512F__)
enum { OSW_TILE_LANES = 16, OSW_TILE_ROWS = 12 };
#elif defined(__AVX__)
enum { OSW_TILE_LANES = 8, OSW_TILE_ROWS = 6 };
#else
enum { OSW_TILE_LANES = 4, OSW_TILE_ROWS = 6 };
#endif

enum {
    OSW_TILE_COLS = 2 * OSW_TILE_LANES,
    OSW_TILE_M = 192, /* multiples of ROWS and of COLS */
    OSW_TILE_N = 256,
    OSW_TILE_K = 256,
};

typedef float osw_lanes
    __attribute__((vector_size(4 * OSW_TILE_LANES), aligned(4), may_alias));

/* Scratch of one thread. */
struct osw_tile {
    float c[OSW_TILE_M * OSW_TILE_N];   /* [TILE_M, TILE_N] */
    float a[OSW_TILE_M * OSW_TILE_K];   /* panels of [TILE_K, ROWS] */
    float b[OSW_TILE_K * OSW_TILE_N];   /* panels of [TILE_K, COLS] */
    float run[OSW_TILE_K + OSW_TILE_N]; /* a converted run */
};

/* c [ROWS, COLS] += a [nk, ROWS] transposed @ b [nk, COLS] */
static inline void osw_tile_kernel(int64_t nk, const float *a, const float *b,
                                   float *c)
{
    osw_lanes sum[OSW_TILE_ROWS][2] = {{{0}}};

    for (int64_t k = 0; k < nk; k++) {
        osw_lanes b0 = *(const osw_lanes *)(b + k * OSW_TILE_COLS);
        osw_lanes b1 =
            *(const osw_lanes *)(b + k * OSW_TILE_COLS + OSW_TILE_LANES);

#pragma GCC unroll 12
        for (int i = 0; i < OSW_TILE_ROWS; i++) {
            float x = a[k * OSW_TILE_ROWS + i];

            sum[i][0] += x * b0;
            sum[i][1] += x * b1;
        }
    }
#pragma GCC unroll 12
    for (int i = 0; i < OSW_TILE_ROWS; i++) {
        osw_lanes *row = (osw_lanes *)(c + i * OSW_TILE_N);

        row[0] += sum[i][0];
        row[1] += sum[i][1];
    }
}

/* Pack [n, nk] lines of a matrix into panels of [nk, width]: line j of a panel
 * goes to column j; lines missing in the last panel are zero.  For a, lines
 * are rows (across: row stride, along: column stride); for b, columns.
 */
static inline void osw_tile_pack(osw_dtype dtype, const char *data,
                                 int64_t across, int64_t along, int64_t n,
                                 int64_t nk, int64_t width, float *run,
                                 float *panels)
{
    int64_t bytes = dtype.bits / 8;

    for (int64_t j0 = 0; j0 < n; j0 += width, panels += width * nk) {
        int64_t nj = n - j0 < width ? n - j0 : width;
        const char *from = data + j0 * across * bytes;

        if (nj < width)
            memset(panels, 0, (size_t)(width * nk) * sizeof(float));
        if (along == 1 && across != 1) {
            for (int64_t j = 0; j < nj; j++) {
                osw_convert_read(dtype, from + j * across * bytes, 1, nk, run);
                for (int64_t k = 0; k < nk; k++)
                    panels[k * width + j] = run[k];
            }
        } else {
            for (int64_t k = 0; k < nk; k++)
                osw_convert_read(dtype, from + k * along * bytes, across, nj,
                                 panels + k * width);
        }
    }
}

/* alpha * tile + beta * plus, rounded into out. */
static inline void osw_tile_finish(const struct osw_product *p,
                                   const struct osw_matrix *plus,
                                   const struct osw_matrix *out, int64_t i0,
                                   int64_t j0, struct osw_tile *t)
{
    int64_t ni = p->m - i0 < OSW_TILE_M ? p->m - i0 : OSW_TILE_M;
    int64_t nj = p->n - j0 < OSW_TILE_N ? p->n - j0 : OSW_TILE_N;
    float alpha = (float)p->alpha, beta = (float)p->beta;

    for (int64_t i = 0; i < ni; i++) {
        float *row = t->c + i * OSW_TILE_N;

        if (p->alpha != 1.0)
            for (int64_t j = 0; j < nj; j++)
                row[j] *= alpha;
        if (p->plus) {
            osw_convert_read(plus->dtype, osw_matrix_at(plus, i0 + i, j0),
                             plus->col, nj, t->run);
            for (int64_t j = 0; j < nj; j++)
                row[j] += beta * t->run[j];
        }
        osw_convert_write(out->dtype, row, nj, out->col,
                          osw_matrix_at(out, i0 + i, j0));
    }
}

static inline void osw_tile_run(const struct osw_product *p, int64_t batch,
                                int64_t i0, int64_t j0, struct osw_tile *t)
{
    struct osw_matrix a = osw_matrix_of(p->a, batch);
    struct osw_matrix b = osw_matrix_of(p->b, batch);
    struct osw_matrix out = osw_matrix_of(p->out, batch);
    struct osw_matrix plus = osw_product_plus(p);
    int64_t ni = p->m - i0 < OSW_TILE_M ? p->m - i0 : OSW_TILE_M;
    int64_t nj = p->n - j0 < OSW_TILE_N ? p->n - j0 : OSW_TILE_N;

    memset(t->c, 0, sizeof(t->c));
    for (int64_t k0 = 0; k0 < p->k; k0 += OSW_TILE_K) {
        int64_t nk = p->k - k0 < OSW_TILE_K ? p->k - k0 : OSW_TILE_K;

        osw_tile_pack(a.dtype, osw_matrix_at(&a, i0, k0), a.row, a.col, ni, nk,
                      OSW_TILE_ROWS, t->run, t->a);
        osw_tile_pack(b.dtype, osw_matrix_at(&b, k0, j0), b.col, b.row, nj, nk,
                      OSW_TILE_COLS, t->run, t->b);
        for (int64_t j = 0; j < nj; j += OSW_TILE_COLS)
            for (int64_t i = 0; i < ni; i += OSW_TILE_ROWS)
                osw_tile_kernel(nk, t->a + i * nk, t->b + j * nk,
                                t->c + i * OSW_TILE_N + j);
    }
    osw_tile_finish(p, &plus, &out, i0, j0, t);
}

static inline int osw_product_blocked(const osw_call *call,
                                      const struct osw_product *p)
{
    int64_t tiles_m = (p->m + OSW_TILE_M - 1) / OSW_TILE_M;
    int64_t tiles_n = (p->n + OSW_TILE_N - 1) / OSW_TILE_N;
    int64_t n = p->n_batch * tiles_m * tiles_n;
    int threads = n < call->n_threads ? (int)n : (int)call->n_threads;
    struct osw_tile *tiles;

    if (!osw_convert_knows(p->out->dtype))
        return OSW_UNSUPPORTED;
    if (n == 0)
        return 0;
    tiles = (struct osw_tile *)osw_workspace(call,
                                             sizeof(*tiles) * (size_t)threads);
    if (!tiles)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < n; i++)
        osw_tile_run(p, i / (tiles_m * tiles_n),
                     i / tiles_n % tiles_m * OSW_TILE_M,
                     i % tiles_n * OSW_TILE_N, tiles + omp_get_thread_num());
    return 0;
}

#endif /* OSW_LIBRARY_PRODUCT_BLOCKED_H */
