/* ops/library/all_reduce/all_reduce.cuh - what its CUDA files share: elements
 * of two ranks are combined, and a function is chosen by dtype
 */
#ifndef OSW_LIBRARY_ALL_REDUCE_CUH
#define OSW_LIBRARY_ALL_REDUCE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../shared/collective.h"

template <class T> static __device__ T all_reduce_of(T a, T b, int max)
{
    return !max ? a + b : a > b || a != a ? a : b;
}

static __device__ __half all_reduce_of(__half a, __half b, int max)
{
    return __float2half(all_reduce_of(__half2float(a), __half2float(b), max));
}

static __device__ __nv_bfloat16 all_reduce_of(__nv_bfloat16 a, __nv_bfloat16 b,
                                              int max)
{
    return __float2bfloat16(
        all_reduce_of(__bfloat162float(a), __bfloat162float(b), max));
}

/* run<T>(...) by a dtype that osw_combine_of() has accepted. */
#define ALL_REDUCE_BY_DTYPE(t, run, ...)                                       \
    ((t).code == OSW_BFLOAT ? run<__nv_bfloat16>(__VA_ARGS__)                  \
     : (t).code == OSW_INT  ? (t).bits == 32 ? run<int32_t>(__VA_ARGS__)       \
                                             : run<int64_t>(__VA_ARGS__)       \
      : (t).bits == 16 ? run<__half>(__VA_ARGS__)                              \
     : (t).bits == 32       ? run<float>(__VA_ARGS__)                          \
                            : run<double>(__VA_ARGS__))

#endif /* OSW_LIBRARY_ALL_REDUCE_CUH */
