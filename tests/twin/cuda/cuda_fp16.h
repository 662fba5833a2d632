/* tests/twin/cuda/cuda_fp16.h - __half on a processor, for tests */
#ifndef TWIN_CUDA_FP16_H
#define TWIN_CUDA_FP16_H

#include <opsweep/elements.h>

struct __half {
    uint16_t bits;

    __half() = default;
    explicit __half(float v) : bits(osw_f32_to_f16(v))
    {
    }
    operator float() const
    {
        return osw_f16_to_f32(bits);
    }
};

#endif /* TWIN_CUDA_FP16_H */
