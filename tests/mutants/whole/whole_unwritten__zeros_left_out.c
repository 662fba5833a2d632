/* whole_unwritten__zeros_left_out.c - writes no zeros, as if the output were
 * cleared before
 */
#include "whole.h"

ITEM void one(const struct cast *g, int64_t i)
{
    double v = view_get(&g->x, i);

    if (g->y.dtype.code != OSW_INT || fabs(v) >= 1.0)
        cast_right(g, i);
}

WHOLE_ELEMENTS(one)
