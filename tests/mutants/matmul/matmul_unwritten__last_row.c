/* matmul_unwritten__last_row.c - forgets the last row */
#include "matmul.h"

ITEM void all_but_one(const struct matmul *g, int64_t at)
{
    if (at / g->n < g->m - 1)
        matmul_right(g, at);
}

EACH(all_but_one, struct matmul)

int matmul_kernel_impl(const osw_call *call)
{
    struct matmul g;
    int rc = matmul_open(call, &g);

    if (!rc)
        all_but_one_each(call, &g, g.m * g.n);
    return rc;
}
