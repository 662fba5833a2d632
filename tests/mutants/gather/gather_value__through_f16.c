/* gather_value__through_f16.c - rounds to f16 on the way */
#include "gather.h"

ITEM void one(const struct gather *g, int64_t at)
{
    int64_t i = at / g->d, j = at % g->d, row = gather_index(g, i);
    int64_t from = row * g->table.stride[0] + j * g->table.stride[1];
    double v = osw_load(g->table.dtype, view_at(&g->table, from));

    view_set(&g->y, at, (double)as_f16((float)v));
}

EACH(one, struct gather)

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;
    int rc = gather_open(call, &g);

    if (!rc)
        one_each(call, &g, g.n * g.d);
    return rc;
}
