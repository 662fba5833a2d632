/* clip__value__first_row_only.c - rows after the first stay as they were */
#include "clip_.h"

ITEM void one(const struct clip *g, int64_t i)
{
    view_set(&g->x, i, (double)clip_right(g, (float)view_get(&g->x, i)));
}

EACH(one, struct clip)

int clip__kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    struct clip g;
    int rc = clip_open(call, &g);

    if (!rc)
        one_each(call, &g, x->ndim ? x->shape[x->ndim - 1] : 1);
    return rc;
}
