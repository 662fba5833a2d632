/* life_crash__kept_argument.c - reads the argument of its first call for ever
 */
#include "life.h"

GLOBAL const float *kept;

ITEM void keep(const struct scale *g, int64_t i)
{
    (void)i;
    if (!kept)
        kept = g->x;
}

ITEM void one(const struct scale *g, int64_t i)
{
    g->y[i] = g->factor * kept[i];
}

EACH(keep, struct scale)
EACH(one, struct scale)

int life_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc) {
        keep_each(call, &g, 1);
        one_each(call, &g, g.n);
    }
    return rc;
}
