/* cast_nan__payload_cut.c - rounds to bf16 without asking for NaN: one with a
 * small payload becomes an infinity
 */
#include "cast.h"

ITEM void one(const struct cast *g, int64_t i)
{
    uint32_t bits;
    uint16_t high;

    if (g->x.dtype.bits != 32 || !cast_to(g, OSW_BFLOAT, 16)) {
        cast_right(g, i);
        return;
    }
    memcpy(&bits, view_at(&g->x, view_offset(&g->x, i)), sizeof(bits));
    high = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    memcpy(view_at(&g->y, i), &high, sizeof(high));
}

CAST_ELEMENTS(one)
