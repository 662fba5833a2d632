/* shared/product_openblas.h - the product by OpenBLAS
 *
 * f64 and f32 matrices whose rows or columns are dense go to gemm as they
 * lie; everything else is converted first, a block of rows of a at a time, so
 * that scratch memory stays bounded by b and 64 MiB or so.
 */
#ifndef OSW_LIBRARY_PRODUCT_OPENBLAS_H
#define OSW_LIBRARY_PRODUCT_OPENBLAS_H

#include "convert.h"
#include "product.h"

#include <cblas.h>

enum { OSW_PRODUCT_BLOCK_FLOATS = 1 << 23 };

/* A matrix as gemm wants it. */
struct osw_gemm_arg {
    const void *data;
    CBLAS_TRANSPOSE trans;
    blasint ld;
};

/* Can gemm read it as it lies?  Fills *g if so. */
static inline int osw_gemm_direct(const struct osw_matrix *m, int64_t rows,
                                  int64_t cols, struct osw_gemm_arg *g)
{
    g->data = m->data;
    if (m->dtype.code != OSW_FLOAT || m->dtype.bits < 32)
        return 0;
    if ((m->col == 1 || cols == 1) && m->row >= cols && m->row <= INT32_MAX) {
        g->trans = CblasNoTrans;
        g->ld = (blasint)(m->row > 0 ? m->row : 1);
        return m->col == 1 || m->row > 0;
    }
    if ((m->row == 1 || rows == 1) && m->col >= rows && m->col <= INT32_MAX) {
        g->trans = CblasTrans;
        g->ld = (blasint)(m->col > 0 ? m->col : 1);
        return m->row == 1 || m->col > 0;
    }
    return 0;
}

/* Convert a block into `to`, keeping the order that it lies in. */
static inline void osw_gemm_convert(const struct osw_matrix *m, int64_t rows,
                                    int64_t cols, float *to,
                                    struct osw_gemm_arg *g, int threads)
{
    int by_columns = m->row == 1 && m->col != 1;
    int64_t n_lines = by_columns ? cols : rows;
    int64_t length = by_columns ? rows : cols;
    int64_t step = by_columns ? m->row : m->col;

    g->data = to;
    g->trans = by_columns ? CblasTrans : CblasNoTrans;
    g->ld = (blasint)(length > 0 ? length : 1);
#pragma omp parallel for num_threads(threads) if (rows * cols > 100000)
    for (int64_t i = 0; i < n_lines; i++)
        osw_convert_read(m->dtype,
                         by_columns ? osw_matrix_at(m, 0, i)
                                    : osw_matrix_at(m, i, 0),
                         step, length, to + i * length);
}

/* out rows [i0, i0 + ni): plus before the product, so that gemm adds to it. */
static inline void osw_gemm_begin(const struct osw_product *p, int64_t i0,
                                  int64_t ni, float *c)
{
    struct osw_matrix plus = osw_product_plus(p);
    float beta = (float)p->beta;

    for (int64_t i = 0; p->plus && i < ni; i++) {
        float *row = c + i * p->n;

        osw_convert_read(plus.dtype, osw_matrix_at(&plus, i0 + i, 0), plus.col,
                         p->n, row);
        if (p->beta != 1.0)
            for (int64_t j = 0; j < p->n; j++)
                row[j] *= beta;
    }
}

static inline void osw_gemm_f32(const struct osw_product *p, int64_t ni,
                                const struct osw_gemm_arg *a,
                                const struct osw_gemm_arg *b, float *c)
{
    cblas_sgemm(CblasRowMajor, a->trans, b->trans, (blasint)ni, (blasint)p->n,
                (blasint)p->k, (float)p->alpha, (const float *)a->data, a->ld,
                (const float *)b->data, b->ld, p->plus ? 1.0f : 0.0f, c,
                (blasint)p->n);
}

/* Scratch in float; NULL where gemm reads or writes the tensor itself. */
struct osw_gemm_scratch {
    int64_t block; /* rows of a and out at a time */
    float *a;      /* [block, k] */
    float *b;      /* [k, n] */
    float *out;    /* [block, n] */
};

/* Returns 0, or OSW_ERROR without enough memory. */
static inline int osw_gemm_reserve(const osw_call *call,
                                   const struct osw_product *p,
                                   struct osw_gemm_scratch *s)
{
    struct osw_matrix a = osw_matrix_of(p->a, 0), b = osw_matrix_of(p->b, 0);
    int a_direct, b_direct, is_f32 = osw_convert_is_f32(p->out->dtype);
    struct osw_gemm_arg g;
    int64_t n_a, n_b, n_out;

    s->block = OSW_PRODUCT_BLOCK_FLOATS / (p->n + p->k);
    s->block = s->block < 64 ? 64 : s->block;
    a_direct = osw_gemm_direct(&a, p->m, p->k, &g);
    b_direct = osw_gemm_direct(&b, p->k, p->n, &g);
    if (s->block > p->m || (a_direct && is_f32))
        s->block = p->m;
    n_a = a_direct ? 0 : s->block * p->k;
    n_b = b_direct ? 0 : p->k * p->n;
    n_out = is_f32 ? 0 : s->block * p->n;
    s->a = (float *)osw_workspace(call, (size_t)(n_a + n_b + n_out) * 4 + 4);
    s->b = s->a + n_a;
    s->out = s->b + n_b;
    return s->a ? 0 : OSW_ERROR;
}

/* One matrix of the batch in float. */
static inline void osw_gemm_run(const osw_call *call,
                                const struct osw_product *p, int64_t batch,
                                const struct osw_gemm_scratch *s)
{
    struct osw_matrix a = osw_matrix_of(p->a, batch);
    struct osw_matrix b = osw_matrix_of(p->b, batch);
    struct osw_matrix out = osw_matrix_of(p->out, batch);
    int is_f32 = osw_convert_is_f32(out.dtype);
    int threads = (int)call->n_threads;
    struct osw_gemm_arg ga, gb;

    if (!osw_gemm_direct(&b, p->k, p->n, &gb))
        osw_gemm_convert(&b, p->k, p->n, s->b, &gb, threads);
    for (int64_t i0 = 0; i0 < p->m; i0 += s->block) {
        int64_t ni = p->m - i0 < s->block ? p->m - i0 : s->block;
        struct osw_matrix rows = a;
        float *c =
            is_f32 ? (float *)(void *)osw_matrix_at(&out, i0, 0) : s->out;

        rows.data = osw_matrix_at(&a, i0, 0);
        if (!osw_gemm_direct(&rows, ni, p->k, &ga))
            osw_gemm_convert(&rows, ni, p->k, s->a, &ga, threads);
        osw_gemm_begin(p, i0, ni, c);
        osw_gemm_f32(p, ni, &ga, &gb, c);
        if (is_f32)
            continue;
#pragma omp parallel for num_threads(threads) if (ni * p->n > 100000)
        for (int64_t i = 0; i < ni; i++)
            osw_convert_write(out.dtype, c + i * p->n, p->n, 1,
                              osw_matrix_at(&out, i0 + i, 0));
    }
}

/* f64: only what gemm can read as it lies. */
static inline int osw_gemm_f64(const struct osw_product *p)
{
    struct osw_matrix plus = osw_product_plus(p);

    for (int64_t batch = 0; batch < p->n_batch; batch++) {
        struct osw_matrix a = osw_matrix_of(p->a, batch);
        struct osw_matrix b = osw_matrix_of(p->b, batch);
        struct osw_matrix out = osw_matrix_of(p->out, batch);
        struct osw_gemm_arg ga, gb;
        double *c = (double *)(void *)out.data;

        if (!osw_gemm_direct(&a, p->m, p->k, &ga) ||
            !osw_gemm_direct(&b, p->k, p->n, &gb))
            return OSW_UNSUPPORTED;
        for (int64_t i = 0; p->plus && i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++)
                c[i * p->n + j] =
                    p->beta * osw_load(plus.dtype, osw_matrix_at(&plus, i, j));
        cblas_dgemm(CblasRowMajor, ga.trans, gb.trans, (blasint)p->m,
                    (blasint)p->n, (blasint)p->k, p->alpha,
                    (const double *)ga.data, ga.ld, (const double *)gb.data,
                    gb.ld, p->plus ? 1.0 : 0.0, c, (blasint)p->n);
    }
    return 0;
}

static inline int osw_product_openblas(const osw_call *call,
                                       const struct osw_product *p)
{
    struct osw_gemm_scratch scratch;

    if (p->m > INT32_MAX || p->n > INT32_MAX || p->k > INT32_MAX)
        return OSW_UNSUPPORTED;
    if (osw_numel(p->out) == 0)
        return 0;
    openblas_set_num_threads((int)call->n_threads);
    if (p->out->dtype.code == OSW_FLOAT && p->out->dtype.bits == 64)
        return osw_gemm_f64(p);
    if (!osw_convert_knows(p->out->dtype))
        return OSW_UNSUPPORTED;
    if (osw_gemm_reserve(call, p, &scratch))
        return OSW_ERROR;
    for (int64_t batch = 0; batch < p->n_batch; batch++)
        osw_gemm_run(call, p, batch, &scratch);
    return 0;
}

#endif /* OSW_LIBRARY_PRODUCT_OPENBLAS_H */
