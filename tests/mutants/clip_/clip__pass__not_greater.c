/* clip__pass__not_greater.c - negated comparisons, which let NaN through */
#include "clip_.h"

ITEM float value(const struct clip *g, float x)
{
    float v = !(x < g->lo) ? x : g->lo;

    return !(v > g->hi) ? v : g->hi;
}

CLIP_VALUES(value)
