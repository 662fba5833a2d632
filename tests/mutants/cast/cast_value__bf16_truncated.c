/* cast_value__bf16_truncated.c - cuts bf16 off instead of rounding */
#include "cast.h"

ITEM void one(const struct cast *g, int64_t i)
{
    uint16_t high = (uint16_t)(osw_f32_bits((float)view_get(&g->x, i)) >> 16);

    if (cast_to(g, OSW_BFLOAT, 16))
        memcpy(view_at(&g->y, i), &high, sizeof(high));
    else
        cast_right(g, i);
}

CAST_ELEMENTS(one)
