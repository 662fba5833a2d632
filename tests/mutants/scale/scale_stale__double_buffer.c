/* scale_stale__double_buffer.c - hands over the result of the call before */
#include "scale.h"

enum { KEPT = 1 << 17 };

GLOBAL float kept[KEPT];

ITEM void one(const struct scale *g, int64_t i)
{
    g->y[i] = kept[i];
    kept[i] = g->factor * g->x[i];
}

EACH(one, struct scale)

int scale_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc && g.n > KEPT)
        return OSW_UNSUPPORTED;
    if (!rc)
        one_each(call, &g, g.n);
    return rc;
}
