/* ops/library/scaled_dot_product_attention/scaled_dot_product_attention_flash.c
 * - online softmax: blocks of keys and values pass by blocks of queries
 *
 * Of a block of queries only the running maximum, sum and output are kept
 * (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018;
 * Dao et al., "FlashAttention", 2022).  Scores and outputs are made four rows
 * by sixteen columns at a time, which stay in registers.
 */
#include "../shared/attention.h"
#include "../shared/convert.h"
#include "../shared/rows.h"
#include "../shared/vecmath.h"

enum { QUERIES = 32, KEYS = 64, ROWS = 4, COLS = 16 };

/* Of one block of queries, in float; widths are rounded up to COLS. */
struct block {
    float *queries; /* [QUERIES][e], times the scale */
    float *keys;    /* [e][KEYS] */
    float *values;  /* [KEYS][wide] */
    float *scores;  /* [QUERIES][KEYS], then weights */
    float *out;     /* [QUERIES][wide] */
    float *key;     /* [e] */
    float max[QUERIES], sum[QUERIES];
    int64_t wide;
};

typedef float vector __attribute__((vector_size(32), aligned(4)));
enum { LANES = 8, VECTORS = COLS / LANES };

/* c[ROWS][COLS] += a[ROWS][n] b[n][COLS]; rows lie lda, ldb, ldc apart. */
static void add_product(const float *a, int64_t lda, const float *b,
                        int64_t ldb, int64_t n, float *c, int64_t ldc)
{
    vector sum[ROWS][VECTORS];

#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 2
        for (int k = 0; k < VECTORS; k++)
            sum[r][k] = *(const vector *)(c + r * ldc + k * LANES);
    for (int64_t i = 0; i < n; i++) {
        vector v0 = *(const vector *)(b + i * ldb);
        vector v1 = *(const vector *)(b + i * ldb + LANES);

#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++) {
            sum[r][0] += a[r * lda + i] * v0;
            sum[r][1] += a[r * lda + i] * v1;
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 2
        for (int k = 0; k < VECTORS; k++)
            *(vector *)(c + r * ldc + k * LANES) = sum[r][k];
}

static void read_queries(const struct osw_attention *a, int64_t head,
                         int64_t i0, int64_t n, struct block *b)
{
    for (int64_t i = 0; i < QUERIES; i++) {
        float *q = b->queries + i * a->e;

        for (int64_t c = 0; c < a->e; c++)
            q[c] = 0.0f;
        if (i < n)
            osw_convert_read(a->q.dtype, osw_heads_at(&a->q, head, i0 + i, 0),
                             a->q.col, a->e, q);
        for (int64_t c = 0; c < a->e; c++)
            q[c] *= (float)a->scale;
        b->max[i] = -INFINITY;
        b->sum[i] = 0.0f;
    }
    for (int64_t at = 0; at < QUERIES * b->wide; at++)
        b->out[at] = 0.0f;
}

static void read_keys(const struct osw_attention *a, int64_t head, int64_t j0,
                      int64_t n, struct block *b)
{
    for (int64_t j = 0; j < n; j++) {
        float *v = b->values + j * b->wide;

        osw_convert_read(a->k.dtype, osw_heads_at(&a->k, head, j0 + j, 0),
                         a->k.col, a->e, b->key);
        for (int64_t c = 0; c < a->e; c++)
            b->keys[c * KEYS + j] = b->key[c];
        osw_convert_read(a->v.dtype, osw_heads_at(&a->v, head, j0 + j, 0),
                         a->v.col, a->width, v);
        for (int64_t c = a->width; c < b->wide; c++)
            v[c] = 0.0f;
    }
    for (int64_t c = 0; c < a->e; c++)
        for (int64_t j = n; j < KEYS; j++)
            b->keys[c * KEYS + j] = 0.0f;
}

/* Weights of one query's row, and what was summed before to the new maximum. */
static void weigh(const struct osw_attention *a, int64_t head, int64_t i,
                  int64_t j0, int64_t n, float *max, float *sum, float *row,
                  float *out, int64_t wide)
{
    float most = *max, before, total = 0.0f;

    if (a->mask.data || a->causal)
        for (int64_t j = 0; j < n; j++)
            row[j] += (float)osw_attention_bias(a, head, i, j0 + j);
    for (int64_t j = 0; j < n; j++)
        most = row[j] > most ? row[j] : most;
    for (int64_t j = 0; j < n; j++)
        row[j] = row[j] == -INFINITY ? 0.0f : osw_vecmath_exp(row[j] - most);
#pragma omp simd reduction(+ : total)
    for (int64_t j = 0; j < n; j++)
        total += row[j];
    before = *max == -INFINITY ? 0.0f : osw_vecmath_exp(*max - most);
    *max = most;
    *sum = *sum * before + total;
    if (before != 1.0f)
        for (int64_t c = 0; c < wide; c++)
            out[c] *= before;
}

/* Keys and values j0 to j0 + n pass by queries i0 to i0 + rows. */
static void pass(const struct osw_attention *a, int64_t head, int64_t i0,
                 int64_t rows, int64_t j0, int64_t n, struct block *b)
{
    read_keys(a, head, j0, n, b);
    for (int64_t at = 0; at < QUERIES * KEYS; at++)
        b->scores[at] = 0.0f;
    for (int64_t i = 0; i < rows; i += ROWS)
        for (int64_t j = 0; j < n; j += COLS)
            add_product(b->queries + i * a->e, a->e, b->keys + j, KEYS, a->e,
                        b->scores + i * KEYS + j, KEYS);
    for (int64_t i = 0; i < rows; i++)
        weigh(a, head, i0 + i, j0, n, &b->max[i], &b->sum[i],
              b->scores + i * KEYS, b->out + i * b->wide, b->wide);
    for (int64_t i = 0; i < rows; i += ROWS)
        for (int64_t c = 0; c < b->wide; c += COLS)
            add_product(b->scores + i * KEYS, KEYS, b->values + c, b->wide, n,
                        b->out + i * b->wide + c, b->wide);
}

static void attend(const struct osw_attention *a, int64_t head, int64_t i0,
                   struct block *b)
{
    int64_t rows = a->l - i0 < QUERIES ? a->l - i0 : QUERIES;
    int64_t seen = a->causal && i0 + rows < a->s ? i0 + rows : a->s;

    read_queries(a, head, i0, rows, b);
    for (int64_t j0 = 0; j0 < seen; j0 += KEYS)
        pass(a, head, i0, rows, j0, seen - j0 < KEYS ? seen - j0 : KEYS, b);
    for (int64_t i = 0; i < rows; i++) {
        float *out = b->out + i * b->wide;

        for (int64_t c = 0; c < a->width && b->sum[i] != 0.0f; c++)
            out[c] /= b->sum[i];
        osw_convert_write(a->dtype, out, a->width, a->out.col,
                          osw_heads_at(&a->out, head, i0 + i, 0));
    }
}

int scaled_dot_product_attention_kernel_impl(const osw_call *call)
{
    struct osw_attention a;
    int rc = osw_attention_open(call, &a), threads;
    int64_t n_blocks, wide, each;
    float *scratch;

    if (rc || !osw_convert_knows(a.dtype) || !osw_convert_knows(a.k.dtype) ||
        !osw_convert_knows(a.v.dtype))
        return rc ? rc : OSW_UNSUPPORTED;
    n_blocks = (a.l + QUERIES - 1) / QUERIES;
    wide = (a.width + COLS - 1) / COLS * COLS;
    threads = osw_rows_threads(call, a.n_heads * n_blocks);
    each = QUERIES * (a.e + KEYS + wide) + KEYS * (a.e + wide) + a.e;
    scratch =
        (float *)osw_workspace(call, (size_t)(each * threads) * sizeof(float));
    if (!scratch)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++) {
        struct block b = {.scores = scratch + each * t, .wide = wide};

        b.out = b.scores + QUERIES * KEYS;
        b.values = b.out + QUERIES * wide;
        b.keys = b.values + KEYS * wide;
        b.queries = b.keys + KEYS * a.e;
        b.key = b.queries + QUERIES * a.e;
        for (int64_t at = a.n_heads * n_blocks * t / threads;
             at < a.n_heads * n_blocks * (t + 1) / threads; at++)
            attend(&a, at / n_blocks, at % n_blocks * QUERIES, &b);
    }
    return 0;
}
