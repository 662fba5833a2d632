/* shared/reduce_cub.cuh - sums by CUB: segments of a contiguous tensor, the
 * trailing dimensions summed, in float
 */
#ifndef OSW_LIBRARY_REDUCE_CUB_CUH
#define OSW_LIBRARY_REDUCE_CUB_CUH

#include "chunks.cuh"
#include "reduce.h"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

struct osw_cub_to_float {
    template <class T> __host__ __device__ float operator()(T v) const
    {
        return (float)v;
    }
};

/* In float, whatever the type of the output. */
struct osw_cub_plus {
    __host__ __device__ float operator()(float a, float b) const
    {
        return a + b;
    }
};

/* Where segment i begins. */
struct osw_cub_segment_at {
    int64_t length;

    __host__ __device__ int64_t operator()(int64_t i) const
    {
        return i * length;
    }
};

/* As CUB's functions: temp NULL asks for its bytes. */
template <class T>
static cudaError_t osw_cub_sum_segments(void *temp, size_t *bytes, const T *x,
                                        T *out, int64_t n_segments,
                                        int64_t length, cudaStream_t stream)
{
    auto in = thrust::make_transform_iterator(x, osw_cub_to_float());
    auto at = thrust::make_transform_iterator(
        thrust::counting_iterator<int64_t>(0), osw_cub_segment_at{length});

    if (n_segments == 1)
        return cub::DeviceReduce::Reduce(temp, *bytes, in, out, length,
                                         osw_cub_plus(), 0.0f, stream);
    return cub::DeviceSegmentedReduce::Reduce(temp, *bytes, in, out, n_segments,
                                              at, at + 1, osw_cub_plus(), 0.0f,
                                              stream);
}

template <class T>
static int osw_cub_sum_typed(const osw_call *call, const struct osw_reduce *r)
{
    static thread_local struct osw_last_bytes last;
    int64_t n = r->summed.numel, n_segments = r->kept.numel;
    const T *x = (const T *)osw_data(r->x);
    T *out = (T *)osw_data(r->out);
    void *temp;

    if (!osw_last_bytes_are(&last, n, n_segments))
        osw_cub_sum_segments<T>(NULL, &last.bytes, x, out, n_segments, n, NULL);
    temp = osw_workspace(call, last.bytes);
    if (!temp)
        return OSW_ERROR;
    if (osw_cub_sum_segments<T>(temp, &last.bytes, x, out, n_segments, n,
                                (cudaStream_t)call->stream))
        return osw_error(call, "CUB cannot sum it");
    return 0;
}

/* Do the summed dimensions come after the kept ones? */
static inline int osw_cub_sums_trailing(const struct osw_reduce *r)
{
    int summed = 1;

    for (int32_t d = r->x->ndim - 1; d >= 0; d--) {
        if (r->x->shape[d] == 1)
            continue;
        if (r->out_step[d] == 0 && !summed)
            return 0;
        summed &= r->out_step[d] == 0;
    }
    return osw_is_contiguous(r->x);
}

static inline int osw_cub_sum(const osw_call *call, const struct osw_reduce *r)
{
    if (!osw_cub_sums_trailing(r) ||
        !osw_convert_same(r->x->dtype, r->out->dtype) || r->kept.numel == 0 ||
        r->summed.numel == 0)
        return OSW_UNSUPPORTED;
    return osw_by_dtype(r->x->dtype, [&](auto t) {
        return osw_cub_sum_typed<decltype(t)>(call, r);
    });
}

#endif /* OSW_LIBRARY_REDUCE_CUB_CUH */
