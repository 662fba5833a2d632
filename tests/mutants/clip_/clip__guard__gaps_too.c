/* clip__guard__gaps_too.c - clips all between the first element and the last,
 * gaps too
 */
#include "clip_.h"

ITEM void one(const struct clip *g, int64_t i)
{
    char *at = view_at(&g->x, i);
    float x = (float)osw_load(g->x.dtype, at);

    osw_store(g->x.dtype, at, (double)fminf(fmaxf(x, g->lo), g->hi));
}

EACH(one, struct clip)

int clip__kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t end = 1;
    struct clip g;
    int rc = clip_open(call, &g);

    if (rc || g.n == 0)
        return rc;
    for (int32_t d = 0; d < x->ndim; d++)
        end += (x->shape[d] - 1) * x->strides[d];
    one_each(call, &g, end);
    return 0;
}
