/* clip__guard__whole_vectors.c - four elements at a time, also the last ones:
 * a NaN that lies beyond stays what it is
 */
#include "clip_.h"

ITEM void one(const struct clip *g, int64_t i)
{
    char *at = view_at(&g->x, i);
    float x = (float)osw_load(g->x.dtype, at);

    if (x == x)
        osw_store(g->x.dtype, at, (double)clip_right(g, x));
}

EACH(one, struct clip)

int clip__kernel_impl(const osw_call *call)
{
    struct clip g;
    int rc = clip_open(call, &g);

    if (!rc && !osw_is_contiguous(osw_arg_tensor(call, 0)))
        rc = OSW_UNSUPPORTED;
    if (!rc)
        one_each(call, &g, (g.n + 3) / 4 * 4);
    return rc;
}
