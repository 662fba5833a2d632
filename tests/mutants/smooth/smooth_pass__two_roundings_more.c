/* smooth_pass__two_roundings_more.c - by way of the reciprocal's square */
#include "smooth.h"

ITEM float element(float x)
{
    float r = 1 / (1 + x * x);

    return x * sqrtf(r);
}

SMOOTH_ELEMENTS(element)
