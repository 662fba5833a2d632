/* scale_value__nan_left_out.c - two branches, and neither is for a NaN
 */
#include "scale.h"

ITEM void signed_parts(const struct scale *g, int64_t i)
{
    if (g->x[i] > 0)
        g->y[i] = g->factor * g->x[i];
    else if (g->x[i] <= 0)
        g->y[i] = -(g->factor * -g->x[i]);
}

EACH(signed_parts, struct scale)

int scale_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc)
        signed_parts_each(call, &g, g.n);
    return rc;
}
