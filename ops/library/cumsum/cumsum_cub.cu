/* ops/library/cumsum/cumsum_cub.cu - by CUB: one scan over a contiguous
 * tensor, its rows along the last dimension as segments
 */
#include "../shared/chunks.cuh"
#include "cumsum.h"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

/* A: what is summed */
template <class A> struct to {
    template <class T> __host__ __device__ A operator()(T v) const
    {
        return (A)v;
    }
};

struct row_of {
    int64_t length;

    __host__ __device__ int64_t operator()(int64_t i) const
    {
        return i / length;
    }
};

/* As CUB's functions: temp NULL asks for its bytes. */
template <class T, class To, class A>
static cudaError_t scan(void *temp, size_t *bytes, const T *x, To *out,
                        int64_t n, int64_t length, cudaStream_t stream)
{
    auto in = thrust::make_transform_iterator(x, to<A>());
    auto row = thrust::make_transform_iterator(
        thrust::counting_iterator<int64_t>(0), row_of{length});

    if (n == length)
        return cub::DeviceScan::InclusiveSum(temp, *bytes, in, out, (int)n,
                                             stream);
    return cub::DeviceScan::InclusiveSumByKey(
        temp, *bytes, row, in, out, (int)n, ::cuda::std::equal_to<>(), stream);
}

template <class T, class To, class A>
static int run(const osw_call *call, const struct osw_cumsum *c)
{
    static thread_local struct osw_last_bytes last;
    int64_t length = c->x.n, n = c->x.n_rows * length;
    const T *x = (const T *)osw_data(c->x.tensor);
    To *out = (To *)osw_data(c->out.tensor);
    void *temp;

    if (!osw_last_bytes_are(&last, n, length))
        scan<T, To, A>(NULL, &last.bytes, x, out, n, length, NULL);
    temp = osw_workspace(call, last.bytes);
    if (!temp)
        return OSW_ERROR;
    if (scan<T, To, A>(temp, &last.bytes, x, out, n, length,
                       (cudaStream_t)call->stream))
        return osw_error(call, "CUB cannot scan it");
    return 0;
}

extern "C" int cumsum_kernel_impl(const osw_call *call)
{
    struct osw_cumsum c = {};
    int rc = osw_cumsum_open(call, &c);
    osw_dtype t;

    if (rc)
        return rc;
    t = c.x.tensor->dtype;
    if (!osw_is_contiguous(c.x.tensor) || c.x.n_rows * c.x.n == 0 ||
        c.x.n_rows * c.x.n > INT32_MAX ||
        (c.x.tensor->ndim && c.x.dim != c.x.tensor->ndim - 1))
        return OSW_UNSUPPORTED;
    if (!c.is_float && t.code == OSW_INT && t.bits == 64)
        return run<int64_t, int64_t, int64_t>(call, &c);
    if (!c.is_float && t.code == OSW_INT && t.bits == 32)
        return run<int32_t, int64_t, int64_t>(call, &c);
    if (!osw_convert_same(t, c.out.tensor->dtype))
        return OSW_UNSUPPORTED;
    return osw_by_dtype(t, [&](auto e) {
        return run<decltype(e), decltype(e), float>(call, &c);
    });
}
