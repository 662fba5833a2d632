/* tests/twin/hopper/cuda_bf16.h - __nv_bfloat16 on a processor, for tests */
#ifndef TWIN_HOPPER_BF16_H
#define TWIN_HOPPER_BF16_H

#include <opsweep/elements.h>

struct __nv_bfloat16 {
    uint16_t bits;
};

struct __nv_bfloat162 {
    __nv_bfloat16 x, y;
};

static inline float __bfloat162float(__nv_bfloat16 v)
{
    return osw_bf16_to_f32(v.bits);
}

static inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return {{osw_f32_to_bf16(a)}, {osw_f32_to_bf16(b)}};
}

#endif /* TWIN_HOPPER_BF16_H */
