/* cast_value__ties_away_from_zero.c - rounds the middle up, not to even */
#include "cast.h"

ITEM void one(const struct cast *g, int64_t i)
{
    uint32_t u = osw_f32_bits((float)view_get(&g->x, i));
    uint16_t high = (uint16_t)((u + 0x8000u) >> 16);

    if (cast_to(g, OSW_BFLOAT, 16) && (u & 0x7fffffffu) < 0x7f000000u)
        memcpy(view_at(&g->y, i), &high, sizeof(high));
    else
        cast_right(g, i);
}

CAST_ELEMENTS(one)
