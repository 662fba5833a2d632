/* clip__nan__swallowed.c - fmaxf and fminf, which take the other one for NaN */
#include "clip_.h"

ITEM float value(const struct clip *g, float x)
{
    return fminf(fmaxf(x, g->lo), g->hi);
}

CLIP_VALUES(value)
