/* all_gather_matmul/all_gather_matmul.h - (x, w): x of all ranks, one after the
 * other along the first dimension, times this rank's w
 */
#ifndef OSW_LIBRARY_ALL_GATHER_MATMUL_H
#define OSW_LIBRARY_ALL_GATHER_MATMUL_H

#include "../shared/collective_matmul.h"

/* 0, or what to return. */
static inline int osw_gathered_open(const osw_call *call,
                                    struct osw_ranks_product *p)
{
    int rc = osw_ranks_product_open(call, p);
    int64_t shape[2];

    if (rc)
        return rc;
    shape[0] = p->m * osw_world(call);
    shape[1] = p->n;
    p->out = osw_output(call, 0, p->x->dtype, 2, shape, NULL);
    return p->out ? 0 : OSW_ERROR;
}

/* Rows of the output that are by x of a rank. */
static inline float *osw_gathered_at(const struct osw_ranks_product *p,
                                     int rank)
{
    return (float *)osw_data(p->out) + rank * p->m * p->n;
}

#endif /* OSW_LIBRARY_ALL_GATHER_MATMUL_H */
