/* tests/twin/hopper/cuda_fp16.h - __half on a processor, for tests */
#ifndef TWIN_HOPPER_FP16_H
#define TWIN_HOPPER_FP16_H

#include <opsweep/elements.h>

struct __half {
    uint16_t bits;
};

struct __half2 {
    __half x, y;
};

static inline float __half2float(__half v)
{
    return osw_f16_to_f32(v.bits);
}

static inline __half2 __floats2half2_rn(float a, float b)
{
    return {{osw_f32_to_f16(a)}, {osw_f32_to_f16(b)}};
}

#endif /* TWIN_HOPPER_FP16_H */
