/* clip__nan__by_a_mask.c - multiplies by whether it is above, also infinities
 * by zero
 */
#include "clip_.h"

ITEM float value(const struct clip *g, float x)
{
    float above = x > g->lo ? 1.0f : 0.0f;
    float v = x * above + g->lo * (1.0f - above);

    return v > g->hi ? g->hi : v;
}

CLIP_VALUES(value)
