/* ops/library/product_reference.h - the product in double, in plain loops
 *
 * Terms are added in the order of k, each product exact for 16- and 32-bit
 * inputs.  A block of b is read into doubles first, because it is used again
 * for every row.
 */
#ifndef OSW_LIBRARY_PRODUCT_REFERENCE_H
#define OSW_LIBRARY_PRODUCT_REFERENCE_H

#include "product.h"

enum { OSW_PRODUCT_BLOCK_K = 64, OSW_PRODUCT_BLOCK_N = 512 };

/* sum[j] += a[i, k0 + k] * block[k, j] for all k and j of the block. */
static inline void osw_product_row(const struct osw_matrix *a, int64_t i,
                                   int64_t k0, int64_t nk, const double *block,
                                   int64_t nj, double *sum)
{
    for (int64_t k = 0; k < nk; k++) {
        double x = osw_load(a->dtype, osw_matrix_at(a, i, k0 + k));
        const double *row = block + k * OSW_PRODUCT_BLOCK_N;

        for (int64_t j = 0; j < nj; j++)
            sum[j] += x * row[j];
    }
}

static inline void osw_product_sum(const osw_call *call,
                                   const struct osw_product *p, int64_t batch,
                                   double *block, double *exact)
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
                                exact + i * p->n + j0);
        }
}

static inline int osw_product_reference(const osw_call *call,
                                        const struct osw_product *p)
{
    double *exact = osw_output_exact(call, 0);
    double *block = (double *)osw_workspace(
        call, sizeof(double) * OSW_PRODUCT_BLOCK_K * OSW_PRODUCT_BLOCK_N);
    struct osw_matrix plus = osw_product_plus(p);

    if (!exact || !block)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(p->out); i++)
        exact[i] = 0.0;
    for (int64_t batch = 0; batch < p->n_batch; batch++)
        osw_product_sum(call, p, batch, block, exact + batch * p->m * p->n);
    if (p->alpha != 1.0)
        for (int64_t i = 0; i < osw_numel(p->out); i++)
            exact[i] *= p->alpha;
    if (p->plus)
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++)
                exact[i * p->n + j] +=
                    p->beta * osw_load(plus.dtype, osw_matrix_at(&plus, i, j));
    return 0;
}

#endif /* OSW_LIBRARY_PRODUCT_REFERENCE_H */
