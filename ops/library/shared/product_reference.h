/* shared/product_reference.h - the product in double, in plain loops
 *
 * Terms are added in the order of k, each product exact for 16- and 32-bit
 * inputs.  A block of b is read into doubles first, because it is used again
 * for every row.
 */
#ifndef OSW_LIBRARY_PRODUCT_REFERENCE_H
#define OSW_LIBRARY_PRODUCT_REFERENCE_H

#include "product.h"

#include <math.h>

enum { OSW_PRODUCT_BLOCK_K = 64, OSW_PRODUCT_BLOCK_N = 512 };

/* Rows [n] of the output, or of a block of it. */
struct osw_product_sums {
    double *sum;
    double *squares; /* of the terms; NULL: not wanted */
};

/* sum[j] += a[i, k0 + k] * block[k, j] for all k and j of the block. */
static inline void osw_product_row(const struct osw_matrix *a, int64_t i,
                                   int64_t k0, int64_t nk, const double *block,
                                   int64_t nj, struct osw_product_sums to)
{
    for (int64_t k = 0; k < nk; k++) {
        double x = osw_load(a->dtype, osw_matrix_at(a, i, k0 + k));
        const double *row = block + k * OSW_PRODUCT_BLOCK_N;

        for (int64_t j = 0; j < nj; j++)
            to.sum[j] += x * row[j];
        for (int64_t j = 0; to.squares && j < nj; j++)
            to.squares[j] += (x * row[j]) * (x * row[j]);
    }
}

static inline struct osw_product_sums
osw_product_sums_at(struct osw_product_sums s, int64_t at)
{
    s.sum += at;
    s.squares = s.squares ? s.squares + at : NULL;
    return s;
}

static inline void osw_product_sum(const osw_call *call,
                                   const struct osw_product *p, int64_t batch,
                                   double *block, struct osw_product_sums to)
{
    struct osw_matrix a = osw_matrix_of(p->a, batch);
    struct osw_matrix b = osw_matrix_of(p->b, batch);
    int threads = (int)call->n_threads;

    for (int64_t j0 = 0; j0 < p->n; j0 += OSW_PRODUCT_BLOCK_N)
        for (int64_t k0 = 0; k0 < p->k; k0 += OSW_PRODUCT_BLOCK_K) {
            int64_t nj = p->n - j0, nk = p->k - k0;

            if (nj > OSW_PRODUCT_BLOCK_N)
                nj = OSW_PRODUCT_BLOCK_N;
            if (nk > OSW_PRODUCT_BLOCK_K)
                nk = OSW_PRODUCT_BLOCK_K;
            for (int64_t k = 0; k < nk; k++)
                for (int64_t j = 0; j < nj; j++)
                    block[k * OSW_PRODUCT_BLOCK_N + j] =
                        osw_load(b.dtype, osw_matrix_at(&b, k0 + k, j0 + j));
#pragma omp parallel for num_threads(threads) if (p->m * nk * nj > 100000)
            for (int64_t i = 0; i < p->m; i++)
                osw_product_row(&a, i, k0, nk, block, nj,
                                osw_product_sums_at(to, i * p->n + j0));
        }
}

/* alpha * sum + beta * plus, and the norm of all of these terms. */
static inline void osw_product_finish(const struct osw_product *p,
                                      struct osw_product_sums s)
{
    struct osw_matrix plus = osw_product_plus(p);

    for (int64_t at = 0; at < osw_numel(p->out); at++) {
        int64_t i = at / p->n % p->m, j = at % p->n;
        double add = 0.0;

        s.sum[at] *= p->alpha;
        if (p->plus) {
            add = p->beta * osw_load(plus.dtype, osw_matrix_at(&plus, i, j));
            s.sum[at] += add;
        }
        if (s.squares)
            s.squares[at] =
                sqrt(p->alpha * p->alpha * s.squares[at] + add * add);
    }
}

static inline int osw_product_reference(const osw_call *call,
                                        const struct osw_product *p)
{
    struct osw_product_sums all = {osw_output_exact(call, 0), NULL};
    double *block = (double *)osw_workspace(
        call, sizeof(double) * OSW_PRODUCT_BLOCK_K * OSW_PRODUCT_BLOCK_N);

    if (!all.sum || !block)
        return OSW_ERROR;
    all.squares = osw_output_norm(call, 0);
    for (int64_t i = 0; i < osw_numel(p->out); i++) {
        all.sum[i] = 0.0;
        if (all.squares)
            all.squares[i] = 0.0;
    }
    for (int64_t batch = 0; batch < p->n_batch; batch++)
        osw_product_sum(call, p, batch, block,
                        osw_product_sums_at(all, batch * p->m * p->n));
    osw_product_finish(p, all);
    return 0;
}

#endif /* OSW_LIBRARY_PRODUCT_REFERENCE_H */
