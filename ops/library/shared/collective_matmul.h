/* shared/collective_matmul.h - products of matrices in f32, of which ranks have
 * parts
 */
#ifndef OSW_LIBRARY_COLLECTIVE_MATMUL_H
#define OSW_LIBRARY_COLLECTIVE_MATMUL_H

#include <math.h>

#include "collective.h"

/* x [m, k] and w [k, n] of this rank. */
struct osw_ranks_product {
    const osw_tensor *x, *w;
    osw_tensor *out;
    int64_t m, k, n;
};

/* 0, or what to return; the output is left to the caller. */
static inline int osw_ranks_product_open(const osw_call *call,
                                         struct osw_ranks_product *p)
{
    p->x = osw_arg_tensor(call, 0);
    p->w = osw_arg_tensor(call, 1);
    if (!p->x || !p->w || p->x->ndim != 2 || p->w->ndim != 2 ||
        p->x->shape[1] != p->w->shape[0] || !osw_is(p->x, OSW_FLOAT, 32) ||
        !osw_is(p->w, OSW_FLOAT, 32) || !osw_is_contiguous(p->x) ||
        !osw_is_contiguous(p->w))
        return OSW_UNSUPPORTED;
    p->m = p->x->shape[0];
    p->k = p->x->shape[1];
    p->n = p->w->shape[1];
    return 0;
}

/* to [rows, n] = a [rows, k] @ w, or += with `add`. */
static inline void osw_ranks_product_rows(const struct osw_ranks_product *p,
                                          const float *a, int64_t rows, int add,
                                          float *to)
{
    const float *w = (const float *)osw_data(p->w);

    for (int64_t i = 0; i < rows; i++, a += p->k, to += p->n) {
        if (!add)
            memset(to, 0, (size_t)p->n * sizeof(*to));
        for (int64_t l = 0; l < p->k; l++)
            for (int64_t j = 0; j < p->n; j++)
                to[j] += a[l] * w[l * p->n + j];
    }
}

/* Add to *exact and *squares the terms of element [i, j] of a rank's product.
 */
static inline void osw_ranks_product_terms(const osw_tensor *x,
                                           const osw_tensor *w, int64_t i,
                                           int64_t j, double *exact,
                                           double *squares)
{
    const float *a = (const float *)osw_data(x) + i * x->shape[1];
    const float *b = (const float *)osw_data(w) + j;

    for (int64_t l = 0; l < x->shape[1]; l++) {
        double term = (double)a[l] * b[l * w->shape[1]];

        *exact += term;
        *squares += term * term;
    }
}

#endif /* OSW_LIBRARY_COLLECTIVE_MATMUL_H */
