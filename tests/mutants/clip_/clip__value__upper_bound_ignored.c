/* clip__value__upper_bound_ignored.c - the lower bound only */
#include "clip_.h"

ITEM float value(const struct clip *g, float x)
{
    return x < g->lo ? g->lo : x;
}

CLIP_VALUES(value)
