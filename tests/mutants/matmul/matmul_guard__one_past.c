/* matmul_guard__one_past.c - writes one element past its output */
#include "matmul.h"

ITEM void one(const struct matmul *g, int64_t at)
{
    if (at < g->m * g->n)
        matmul_right(g, at);
    else
        osw_store(g->c.dtype, view_at(&g->c, at), 0);
}

EACH(one, struct matmul)

int matmul_kernel_impl(const osw_call *call)
{
    struct matmul g;
    int rc = matmul_open(call, &g);

    if (!rc)
        one_each(call, &g, g.m * g.n + 1);
    return rc;
}
