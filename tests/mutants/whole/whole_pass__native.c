/* whole_pass__native.c - what the compiler makes of it */
#include "whole.h"

ITEM void one(const struct cast *g, int64_t i)
{
    double v = view_get(&g->x, i);
    int32_t n = (int32_t)v;

    if (g->x.dtype.code == OSW_FLOAT)
        memcpy(view_at(&g->y, i), &n, sizeof(n));
    else
        cast_right(g, i);
}

WHOLE_ELEMENTS(one)
