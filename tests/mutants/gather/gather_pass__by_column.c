/* gather_pass__by_column.c - column after column */
#include "gather.h"

ITEM void one(const struct gather *g, int64_t at)
{
    gather_right(g, at % g->n * g->d + at / g->n);
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
