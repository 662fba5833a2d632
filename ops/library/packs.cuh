/* ops/library/packs.cuh - 16 bytes of elements at a time
 *
 * Memory is read and written in packs: aligned runs of 16 bytes.  A row that
 * starts inside a pack has `lead` elements of others before it in its first
 * pack; packs at its ends are read whole (memory comes in multiples of 16
 * bytes), but written element by element.
 */
#ifndef OSW_LIBRARY_PACKS_CUH
#define OSW_LIBRARY_PACKS_CUH

#include "launch.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <opsweep/elements.h>
#include <stdint.h>

typedef __half osw_f16;
typedef __nv_bfloat16 osw_bf16;

template <class T> struct osw_pack {
    enum { N = 16 / (int)sizeof(T) };
    union {
        uint4 raw;
        T v[N];
    };
    __device__ osw_pack() : raw()
    {
    }
};

__device__ static inline float osw_to_float(float v)
{
    return v;
}
__device__ static inline float osw_to_float(osw_f16 v)
{
    return __half2float(v);
}
__device__ static inline float osw_to_float(osw_bf16 v)
{
    return __bfloat162float(v);
}

template <class T> __device__ static inline T osw_from_float(float v);
template <> __device__ inline float osw_from_float<float>(float v)
{
    return v;
}
template <> __device__ inline osw_f16 osw_from_float<osw_f16>(float v)
{
    return __float2half_rn(v);
}
template <> __device__ inline osw_bf16 osw_from_float<osw_bf16>(float v)
{
    return __float2bfloat16_rn(v);
}

/* Elements between the last pack boundary and p. */
template <class T> OSW_HD static inline int osw_pack_lead(const T *p)
{
    return (int)(((uintptr_t)p & 15) / sizeof(T));
}

/* Can packs of elements of `bytes` start where p + i * stride does, for all
 * i?  For whole matrices: everything aligned.
 */
static inline int osw_pack_aligned(const void *p, int64_t stride, int64_t bytes)
{
    return ((uintptr_t)p & 15) == 0 && stride * bytes % 16 == 0;
}

/* Call f with a value of the C++ type of a dtype: what f returns, or
 * OSW_UNSUPPORTED.
 */
template <class F> static inline int osw_by_dtype(osw_dtype t, F f)
{
    if (t.code == OSW_FLOAT && t.bits == 32)
        return f(float());
    if (t.code == OSW_FLOAT && t.bits == 16)
        return f(osw_f16());
    if (t.code == OSW_BFLOAT && t.bits == 16)
        return f(osw_bf16());
    return OSW_UNSUPPORTED;
}

#endif /* OSW_LIBRARY_PACKS_CUH */
