/* clip__pass__minimum_of_maximum.c - fmaxf and fminf, NaN put back */
#include "clip_.h"

ITEM float value(const struct clip *g, float x)
{
    float v = fminf(fmaxf(x, g->lo), g->hi);

    return x != x ? x : v;
}

CLIP_VALUES(value)
