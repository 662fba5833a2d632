/* worker/judge/compare/matrix.c - arithmetic on matrices, in doubles */
#include "worker/judge/compare/matrix.h"

#include <math.h>
#include <string.h>

#include <opsweep/elements.h>

#include "worker/judge/memory/clones.h"
#include "worker/judge/memory/heartbeat.h"

enum { BLOCK = 256, LANES = 8, UNROLL = 4 };

#define WHOLE_LIMIT 0x1p51

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Adding 1.5 * 2^52 cuts the fraction off, subtracting it again shows it. */
static inline int64_t is_odd(double v, double limit)
{
    int64_t within = fabs(v) <= limit;
    int64_t whole = (v + 0x1.8p52) - 0x1.8p52 == v;

    return 1 - (within & whole);
}

OSW_CLONES
static int64_t count_odd(const double *restrict v, double limit)
{
    int64_t n = 0;

    for (int i = 0; i < BLOCK; i++)
        n += is_odd(v[i], limit);
    return n;
}

OSW_CLONES
static uint64_t max_bits(const double *restrict v)
{
    uint64_t max = 0;

    for (int i = 0; i < BLOCK; i++) {
        uint64_t bits = osw_f64_bits(v[i]) & INT64_MAX;

        max = bits > max ? bits : max;
    }
    return max;
}

bool osw_matrix_is_whole(const double *v, int64_t n, double limit)
{
    int64_t i = 0;

    for (; n - i >= BLOCK; i += BLOCK)
        if (count_odd(v + i, limit) > 0)
            return false;
    for (; i < n; i++)
        if (is_odd(v[i], limit))
            return false;
    return true;
}

bool osw_matrix_scan(const struct osw_view *v, double *max)
{
    int64_t bytes = (int64_t)osw_view_elem_bytes(v);
    uint64_t bits = 0;
    struct osw_walk w;
    struct osw_run run;

    osw_walk_memory(&w, v->desc);
    while (osw_walk_next(&w, BLOCK, &run)) {
        double block[BLOCK] = {0};
        uint64_t here;

        osw_view_load(v->desc->dtype,
                      (const char *)v->data + run.offset * bytes, run.stride,
                      run.n, block);
        if (!osw_matrix_is_whole(block, BLOCK, WHOLE_LIMIT))
            return false;
        here = max_bits(block);
        bits = here > bits ? here : bits;
    }
    memcpy(max, &bits, sizeof(bits));
    return true;
}

OSW_CLONES
double osw_matrix_dot(const double *a, const double *b, int64_t n)
{
    lanes sum[UNROLL] = {{0}}, x, y;
    int64_t i = 0;
    double total = 0;

    for (; n - i >= UNROLL * LANES; i += UNROLL * LANES)
        for (int k = 0; k < UNROLL; k++) {
            memcpy(&x, a + i + k * LANES, sizeof(x));
            memcpy(&y, b + i + k * LANES, sizeof(y));
            sum[k] += x * y;
        }
    for (int k = 1; k < UNROLL; k++)
        sum[0] += sum[k];
    for (int k = 0; k < LANES; k++)
        total += sum[0][k];
    for (; i < n; i++)
        total += a[i] * b[i];
    return total;
}

/* y[0..n) += a * x[0..n) */
OSW_CLONES
static void add_multiple(double a, const double *restrict x, int64_t n,
                         double *restrict y)
{
    int64_t i = 0;

    for (; n - i >= LANES; i += LANES) {
        lanes u, v;

        memcpy(&u, x + i, sizeof(u));
        memcpy(&v, y + i, sizeof(v));
        v += u * a;
        memcpy(y + i, &v, sizeof(v));
    }
    for (; i < n; i++)
        y[i] += a * x[i];
}

static const char *at(const struct osw_matrix *m, int64_t row, int64_t col)
{
    return m->data + (row * m->row_stride + col * m->col_stride) * m->bytes;
}

void osw_matrix_row(const struct osw_matrix *m, int64_t row, double *to)
{
    osw_view_load(m->dtype, at(m, row, 0), m->col_stride, m->cols, to);
}

/* n elements from (row, col) on, in steps of `stride`. */
static void load(const struct osw_matrix *m, int64_t row, int64_t col,
                 int64_t stride, int64_t n, double *block)
{
    osw_view_load(m->dtype, at(m, row, col), stride, n, block);
    for (int64_t i = 0; m->squared && i < n; i++)
        block[i] *= block[i];
    osw_heartbeat(n);
}

/* Row by row: each a dot product per vector. */
static void apply_rows(const struct osw_matrix *m, int n_vectors,
                       const double *x, double *y)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->cols; j += BLOCK) {
            int64_t n = m->cols - j < BLOCK ? m->cols - j : BLOCK;
            double block[BLOCK];

            load(m, i, j, m->col_stride, n, block);
            for (int k = 0; k < n_vectors; k++)
                y[k * m->rows + i] +=
                    osw_matrix_dot(block, x + k * m->cols + j, n);
        }
}

/* Column by column, where that is the order of memory. */
static void apply_cols(const struct osw_matrix *m, int n_vectors,
                       const double *x, double *y)
{
    for (int64_t j = 0; j < m->cols; j++)
        for (int64_t i = 0; i < m->rows; i += BLOCK) {
            int64_t n = m->rows - i < BLOCK ? m->rows - i : BLOCK;
            double block[BLOCK];

            load(m, i, j, m->row_stride, n, block);
            for (int k = 0; k < n_vectors; k++)
                add_multiple(x[k * m->cols + j], block, n, y + k * m->rows + i);
        }
}

/* One row, over and over: computed once. */
static void apply_one_row(const struct osw_matrix *m, int n_vectors,
                          const double *x, double *y)
{
    struct osw_matrix row = *m;

    row.rows = 1;
    for (int k = 0; k < n_vectors; k++) {
        double sum = 0;

        apply_rows(&row, 1, x + k * m->cols, &sum);
        for (int64_t i = 0; i < m->rows; i++)
            y[k * m->rows + i] += sum;
    }
}

void osw_matrix_apply(const struct osw_matrix *m, int n_vectors,
                      const double *x, double *y)
{
    if (m->row_stride == 0)
        apply_one_row(m, n_vectors, x, y);
    else if (m->row_stride < m->col_stride)
        apply_cols(m, n_vectors, x, y);
    else
        apply_rows(m, n_vectors, x, y);
}
