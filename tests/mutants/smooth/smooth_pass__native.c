/* smooth_pass__native.c - in f32 */
#include "smooth.h"

ITEM float element(float x)
{
    return x / sqrtf(1 + x * x);
}

SMOOTH_ELEMENTS(element)
