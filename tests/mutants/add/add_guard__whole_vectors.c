/* add_guard__whole_vectors.c - writes four at a time, also beyond the end */
#include "add.h"

ITEM void four(const struct add *g, int64_t i)
{
    for (int64_t q = 4 * i; q < 4 * i + 4; q++)
        if (q < g->n)
            add_right(g, q);
        else
            osw_store(g->y.dtype, view_at(&g->y, q), 0);
}

EACH(four, struct add)

int add_kernel_impl(const osw_call *call)
{
    struct add g;
    int rc = add_open(call, &g);

    if (!rc)
        four_each(call, &g, (g.n + 3) / 4);
    return rc;
}
