/* clip__pass__by_way_of_workspace.c - everything to a workspace, then back */
#include "clip_.h"

ITEM void out(const struct clip *g, int64_t i)
{
    g->scratch[i] = clip_right(g, (float)view_get(&g->x, i));
}

EACH(out, struct clip)

ITEM void back(const struct clip *g, int64_t i)
{
    view_set(&g->x, i, (double)g->scratch[i]);
}

EACH(back, struct clip)

int clip__kernel_impl(const osw_call *call)
{
    struct clip g;
    int rc = clip_open(call, &g);

    if (rc)
        return rc;
    g.scratch = (float *)osw_workspace(call, (size_t)(g.n + 1) * sizeof(float));
    if (!g.scratch)
        return OSW_ERROR;
    out_each(call, &g, g.n);
    back_each(call, &g, g.n);
    return 0;
}
