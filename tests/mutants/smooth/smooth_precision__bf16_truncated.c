/* smooth_precision__bf16_truncated.c - cuts bf16 off instead of rounding */
#include "smooth.h"

ITEM void one(const struct mapped *g, int64_t i)
{
    float x = (float)view_get(&g->x, i), y = x / sqrtf(1 + x * x);
    uint16_t high = (uint16_t)(osw_f32_bits(y) >> 16);

    if (g->y.dtype.bits == 16)
        memcpy(view_at(&g->y, view_offset(&g->y, i)), &high, sizeof(high));
    else
        view_set(&g->y, i, (double)y);
}

EACH(one, struct mapped)

int smooth_kernel_impl(const osw_call *call)
{
    struct mapped g;
    int rc = mapped_open(call, &g);

    if (!rc)
        one_each(call, &g, g.n);
    return rc;
}
