/* tests/twin/cuda/cuda_bf16.h - __nv_bfloat16 on a processor, for tests */
#ifndef TWIN_CUDA_BF16_H
#define TWIN_CUDA_BF16_H

#include <opsweep/elements.h>

struct __nv_bfloat16 {
    uint16_t bits;

    __nv_bfloat16() = default;
    explicit __nv_bfloat16(float v) : bits(osw_f32_to_bf16(v))
    {
    }
    operator float() const
    {
        return osw_bf16_to_f32(bits);
    }
};

#endif /* TWIN_CUDA_BF16_H */
