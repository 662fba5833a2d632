/* cast_value__by_way_of_f16.c - through f16, whatever the output is */
#include "cast.h"

ITEM void one(const struct cast *g, int64_t i)
{
    if (cast_to(g, OSW_BFLOAT, 16))
        view_set(&g->y, i, (double)as_f16((float)view_get(&g->x, i)));
    else
        cast_right(g, i);
}

CAST_ELEMENTS(one)
