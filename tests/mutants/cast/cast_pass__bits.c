/* cast_pass__bits.c - bf16 by integer arithmetic on the bits */
#include "cast.h"

ITEM void one(const struct cast *g, int64_t i)
{
    uint32_t u = osw_f32_bits((float)view_get(&g->x, i));
    uint16_t high = (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);

    if ((u & 0x7fffffffu) > 0x7f800000u)
        high = (uint16_t)((u >> 16) | 0x40u);
    if (cast_to(g, OSW_BFLOAT, 16))
        memcpy(view_at(&g->y, i), &high, sizeof(high));
    else
        cast_right(g, i);
}

CAST_ELEMENTS(one)
