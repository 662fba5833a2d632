/* gather_guard__one_row_more.c - copies one row too many */
#include "gather.h"

ITEM void one(const struct gather *g, int64_t at)
{
    int64_t i = at / g->d;

    gather_copy(g, i, i < g->n ? gather_index(g, i) : 0, at % g->d);
}

EACH(one, struct gather)

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;
    int rc = gather_open(call, &g);

    if (!rc)
        one_each(call, &g, (g.n + 1) * g.d);
    return rc;
}
