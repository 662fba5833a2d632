/* smooth_precision__through_tf32.c - of what TF32 holds: well within the
 * tolerance, and far from what f32 can do
 */
#include "smooth.h"

ITEM float element(float x)
{
    float t = as_tf32(x);

    return t / sqrtf(1 + t * t);
}

SMOOTH_ELEMENTS(element)
