/* cast_value__f16_saturated.c - the largest f16 instead of infinity */
#include "cast.h"

ITEM void one(const struct cast *g, int64_t i)
{
    double v = view_get(&g->x, i);

    if (cast_to(g, OSW_FLOAT, 16) && fabs(v) > 65504.0)
        v = v > 0 ? 65504.0 : -65504.0;
    if (cast_to(g, OSW_FLOAT, 16))
        view_set(&g->y, i, v);
    else
        cast_right(g, i);
}

CAST_ELEMENTS(one)
