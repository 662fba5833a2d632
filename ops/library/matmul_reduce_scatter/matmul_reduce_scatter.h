/* matmul_reduce_scatter/matmul_reduce_scatter.h - (x, w): each rank gets its
 * piece, by rows, of the sum of x @ w of all ranks
 */
#ifndef OSW_LIBRARY_MATMUL_REDUCE_SCATTER_H
#define OSW_LIBRARY_MATMUL_REDUCE_SCATTER_H

#include "../shared/collective_matmul.h"

/* 0, or what to return. */
static inline int osw_scattered_open(const osw_call *call,
                                     struct osw_ranks_product *p)
{
    int rc = osw_ranks_product_open(call, p);
    int64_t shape[2];

    if (rc || p->m % osw_world(call) != 0)
        return OSW_UNSUPPORTED;
    shape[0] = p->m / osw_world(call);
    shape[1] = p->n;
    p->out = osw_output(call, 0, p->x->dtype, 2, shape, NULL);
    return p->out ? 0 : OSW_ERROR;
}

/* Rows of x that are for a rank; it is taken modulo the world. */
static inline const float *osw_scattered_rows(const osw_call *call,
                                              const struct osw_ranks_product *p,
                                              int rank)
{
    int world = osw_world(call);

    return (const float *)osw_data(p->x) +
           (rank + world) % world * (p->m / world) * p->k;
}

#endif /* OSW_LIBRARY_MATMUL_REDUCE_SCATTER_H */
