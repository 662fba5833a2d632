/* clip__value__folded.c - folds what is below over to the other side */
#include "clip_.h"

ITEM float value(const struct clip *g, float x)
{
    if (x < g->lo)
        x = 2 * g->lo - x;
    return x > g->hi ? g->hi : x;
}

CLIP_VALUES(value)
