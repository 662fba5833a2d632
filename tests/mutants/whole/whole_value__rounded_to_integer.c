/* whole_value__rounded_to_integer.c - rounds to the nearest integer, not toward
 * zero
 */
#include "whole.h"

ITEM void one(const struct cast *g, int64_t i)
{
    if (cast_to(g, OSW_INT, 32) && g->x.dtype.code == OSW_FLOAT)
        view_set(&g->y, i, rint(view_get(&g->x, i)));
    else
        cast_right(g, i);
}

WHOLE_ELEMENTS(one)
