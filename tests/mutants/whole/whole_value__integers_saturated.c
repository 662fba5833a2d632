/* whole_value__integers_saturated.c - the nearest i32 instead of the lower 32
 * bits
 */
#include "whole.h"

ITEM void one(const struct cast *g, int64_t i)
{
    double v = view_get(&g->x, i);

    if (cast_to(g, OSW_INT, 32))
        view_set(&g->y, i, fmin(fmax(v, -2147483648.0), 2147483647.0));
    else
        cast_right(g, i);
}

WHOLE_ELEMENTS(one)
