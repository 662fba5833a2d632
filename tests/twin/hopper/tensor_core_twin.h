/* tests/twin/hopper/tensor_core_twin.h - tensor cores a warp at a time, on a
 * processor, for tests
 *
 * It stands for ops/library/shared/tensor_core.cuh.  A copy is there at once.
 * Which thread has which elements is as the PTX manual says.
 */
#ifndef TWIN_HOPPER_TENSOR_CORE_TWIN_H
#define TWIN_HOPPER_TENSOR_CORE_TWIN_H

#include "cuda_runtime.h"

#define OSW_LIBRARY_TENSOR_CORE_CUH

#include "../../../ops/library/shared/chunks.cuh"

enum { TWIN_WARPS = TWIN_THREADS / 32 };

static inline void osw_async_copy16(void *to, const void *from, int valid)
{
    if ((uintptr_t)to % 16 || (valid && (uintptr_t)from % 16))
        twin_die("a copy of 16 bytes that is not aligned to them");
    memset(to, 0, 16);
    memcpy(to, from, (size_t)valid);
}

static inline void osw_async_commit(void)
{
}

template <int N> static inline void osw_async_wait(void)
{
}

template <bool TRANS>
static inline void osw_load_fragment(uint32_t (&r)[4], const void *p)
{
    static const uint16_t *rows[TWIN_WARPS][32];
    auto &of_warp = rows[threadIdx.x / 32];
    int lane = (int)threadIdx.x % 32;

    of_warp[lane] = (const uint16_t *)p;
    __syncwarp();
    for (int m = 0; m < 4; m++) {
        uint32_t two[2];

        for (int e = 0; e < 2; e++) {
            int near = lane % 4 * 2 + e, far = lane / 4;

            two[e] =
                TRANS ? of_warp[8 * m + near][far] : of_warp[8 * m + far][near];
        }
        r[m] = two[0] | two[1] << 16;
    }
    __syncwarp();
}

/* Half i of a register. */
template <class T> static inline float twin_half(uint32_t word, int i)
{
    uint16_t bits = (uint16_t)(word >> 16 * i);
    T v;

    memcpy(&v, &bits, sizeof(v));
    return osw_pack_float(v);
}

template <class T>
static inline void osw_mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                           uint32_t b1)
{
    static float of_a[TWIN_WARPS][16][16], of_b[TWIN_WARPS][16][8];
    auto &ma = of_a[threadIdx.x / 32];
    auto &mb = of_b[threadIdx.x / 32];
    int lane = (int)threadIdx.x % 32, far = lane / 4;

    for (int e = 0; e < 2; e++) {
        int near = lane % 4 * 2 + e;

        for (int x = 0; x < 4; x++)
            ma[far + x % 2 * 8][near + x / 2 * 8] = twin_half<T>(a[x], e);
        mb[near][far] = twin_half<T>(b0, e);
        mb[near + 8][far] = twin_half<T>(b1, e);
    }
    __syncwarp();
    for (int x = 0; x < 4; x++)
        for (int k = 0; k < 16; k++)
            c[x] += ma[far + x / 2 * 8][k] * mb[k][lane % 4 * 2 + x % 2];
    __syncwarp();
}

#endif /* TWIN_HOPPER_TENSOR_CORE_TWIN_H */
