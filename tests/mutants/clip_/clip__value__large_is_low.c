/* clip__value__large_is_low.c - the lower bound for what is very large */
#include "clip_.h"

ITEM float value(const struct clip *g, float x)
{
    if (fabsf(x) > 1e30f)
        return g->lo;
    return clip_right(g, x);
}

CLIP_VALUES(value)
