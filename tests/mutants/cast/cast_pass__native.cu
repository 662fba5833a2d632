/* cast_pass__native.cu - the device's own conversions */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cast.h"

ITEM void one(const struct cast *g, int64_t i)
{
    float v = (float)view_get(&g->x, i);

    if (g->x.dtype.code != OSW_FLOAT || g->x.dtype.bits != 32)
        cast_right(g, i);
    else if (cast_to(g, OSW_BFLOAT, 16))
        *(__nv_bfloat16 *)view_at(&g->y, i) = __float2bfloat16_rn(v);
    else if (cast_to(g, OSW_FLOAT, 16))
        *(__half *)view_at(&g->y, i) = __float2half_rn(v);
    else
        cast_right(g, i);
}

CAST_ELEMENTS(one)
