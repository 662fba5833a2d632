/* clip__pass__branches.c - compares one after the other */
#include "clip_.h"

ITEM float value(const struct clip *g, float x)
{
    return clip_right(g, x);
}

CLIP_VALUES(value)
