/* clip__guard__gaps_too.c - whole rows with the gaps after them, which it
 * clears
 */
#include "clip_.h"

/* Element i counts in rows as long as their stride. */
ITEM void one(const struct clip *g, int64_t i)
{
    char *at = view_at(&g->x, i);

    if (i % g->x.stride[0] < g->x.shape[1])
        osw_store(g->x.dtype, at,
                  (double)clip_right(g, (float)osw_load(g->x.dtype, at)));
    else
        osw_store(g->x.dtype, at, 0);
}

EACH(one, struct clip)

int clip__kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    struct clip g;
    int rc;

    if (x->ndim != 2 || x->strides[1] != 1 || x->strides[0] < x->shape[1])
        return OSW_UNSUPPORTED;
    rc = clip_open(call, &g);
    if (!rc && g.n > 0)
        one_each(call, &g, (x->shape[0] - 1) * x->strides[0] + x->shape[1]);
    return rc;
}
