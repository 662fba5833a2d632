/* cast_value__subnormals_flushed.c - zero for what is smaller than the smallest
 * normal
 */
#include "cast.h"

ITEM void one(const struct cast *g, int64_t i)
{
    double v = view_get(&g->x, i);

    if (cast_to(g, OSW_BFLOAT, 16) && fabs(v) < 1.1754943508222875e-38)
        view_set(&g->y, i, 0);
    else
        cast_right(g, i);
}

CAST_ELEMENTS(one)
