/* gather_pass__copied_index.c - the index to a workspace first */
#include "gather.h"

ITEM void copy(const struct gather *g, int64_t i)
{
    g->scratch[i] = gather_index(g, i);
}

EACH(copy, struct gather)

ITEM void one(const struct gather *g, int64_t at)
{
    gather_copy(g, at / g->d, g->scratch[at / g->d], at % g->d);
}

EACH(one, struct gather)

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;
    int rc = gather_open(call, &g);

    if (rc)
        return rc;
    g.scratch = (int64_t *)osw_workspace(call, (size_t)(g.n + 1) * 8);
    if (!g.scratch)
        return OSW_ERROR;
    copy_each(call, &g, g.n);
    one_each(call, &g, g.n * g.d);
    return 0;
}
