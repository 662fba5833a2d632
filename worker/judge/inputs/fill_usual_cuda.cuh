/* worker/judge/inputs/fill_usual_cuda.cuh - elements of usual fills, 16 bytes
 * at once
 *
 * What fill_cuda.cu stores, and of what bench_judge_gpu.c measures how fast
 * registers can make it: the same code, so that one bounds the other.
 */
#ifndef OSW_WORKER_JUDGE_FILL_USUAL_CUDA_CUH
#define OSW_WORKER_JUDGE_FILL_USUAL_CUDA_CUH

#include <cuda_runtime.h>

#include "worker/judge/inputs/element.h"

template <int DRAW, int CODE, int BITS> struct usual {
    enum { N = 128 / BITS };

    /* Element k of a group.  `upper` is the upper word of its index, `begun`
     * M0 times the lower word of the first one's: to add a constant is cheaper
     * than to multiply.
     */
    static __device__ __forceinline__ uint64_t
    element(const struct osw_element_rule *r, uint32_t upper, uint64_t begun,
            uint32_t k)
    {
        const osw_dtype part = {CODE, BITS, 1};
        struct osw_philox p =
            osw_philox_rounds_from(begun + (uint64_t)OSW_PHILOX_M0 * k, upper,
                                   r->tensor, r->rep, &r->keys);
        struct osw_element_words w = {p.w[0], p.w[1], p.w[2], p.w[3], 4};

        if (DRAW <= OSW_ELEMENT_INTEGERS_F32)
            return osw_element_store_f32(part, osw_element_f32(DRAW, r, &w));
        if (DRAW <= OSW_ELEMENT_OFFSET_F64)
            return osw_element_store_f64(part, osw_element_f64(DRAW, r, &w, 0));
        return osw_element_store_i64(part, osw_element_i64(DRAW, r, &w, 0));
    }

    static __device__ __forceinline__ uint4
    group(const struct osw_element_rule *r, uint32_t upper, uint64_t begun)
    {
        uint32_t w[4] = {0, 0, 0, 0};

#pragma unroll
        for (int k = 0; k < N; k++) {
            uint64_t bits = element(r, upper, begun, (uint32_t)k);

            if (BITS == 64) {
                w[2 * k % 4] = (uint32_t)bits;
                w[(2 * k + 1) % 4] = (uint32_t)(bits >> 32);
            } else {
                bits &= (UINT64_C(1) << BITS % 64) - 1;
                w[k * BITS / 32] |= (uint32_t)bits << (k * BITS % 32);
            }
        }
        return make_uint4(w[0], w[1], w[2], w[3]);
    }
};

/* A kernel for real elements without specials of one kind of value and type. */
template <class F> struct usual_kernel {
    int draw, code, bits;
    F kernel;

    bool makes(const struct osw_element_rule *rule) const
    {
        int wanted = rule->draw == OSW_ELEMENT_INDEX_I64
                         ? (int)OSW_ELEMENT_INTEGERS_I64 /* then its ends */
                         : rule->draw;

        return rule->parts == 1 && !rule->specials && wanted == draw &&
               rule->part.code == code && rule->part.bits == bits;
    }
};

/* All of them, of a template of kernels <DRAW, CODE, BITS>. */
/* clang-format off */
#define USUAL(kernel, draw, code, bits)                                        \
    {OSW_ELEMENT_##draw, code, bits, kernel<OSW_ELEMENT_##draw, code, bits>}
#define USUAL_F32(kernel, draw)                                                \
    USUAL(kernel, draw, OSW_FLOAT, 32),                                        \
    USUAL(kernel, draw, OSW_FLOAT, 16),                                        \
    USUAL(kernel, draw, OSW_BFLOAT, 16)
#define USUALS(kernel)                                                         \
    {                                                                          \
        USUAL_F32(kernel, NORMAL_F32),                                         \
        USUAL_F32(kernel, UNIFORM_F32),                                        \
        USUAL_F32(kernel, POSITIVE_F32),                                       \
        USUAL_F32(kernel, INTEGERS_F32),                                       \
        USUAL(kernel, NORMAL_F64, OSW_FLOAT, 64),                              \
        USUAL(kernel, UNIFORM_F64, OSW_FLOAT, 64),                             \
        USUAL(kernel, POSITIVE_F64, OSW_FLOAT, 64),                            \
        USUAL(kernel, INTEGERS_I64, OSW_FLOAT, 64),                            \
        USUAL(kernel, INTEGERS_I64, OSW_INT, 64),                              \
        USUAL(kernel, INTEGERS_I64, OSW_INT, 32),                              \
        USUAL(kernel, INTEGERS_I64, OSW_INT, 16),                              \
        USUAL(kernel, INTEGERS_I64, OSW_INT, 8),                               \
        USUAL(kernel, INTEGERS_I64, OSW_UINT, 8),                              \
        USUAL(kernel, INTEGERS_I64, OSW_BOOL, 8),                              \
    }
/* clang-format on */

#endif /* OSW_WORKER_JUDGE_FILL_USUAL_CUDA_CUH */
