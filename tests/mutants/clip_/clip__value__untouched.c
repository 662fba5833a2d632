/* clip__value__untouched.c - hands its input back as it was */
#include "clip_.h"

ITEM float value(const struct clip *g, float x)
{
    (void)g;
    return x;
}

CLIP_VALUES(value)
