/* ops/library/any/any_cub.cu - by CUB: a reduction with or, of contiguous
 * tensors
 */
#include "any.cuh"

#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>

template <class U> struct nonzero {
    U mask; /* bits that count: not the sign of a float */

    __host__ __device__ int operator()(U bits) const
    {
        return (bits & mask) != 0;
    }
};

struct either {
    __host__ __device__ int operator()(int a, int b) const
    {
        return a | b;
    }
};

template <class U>
static int reduce(const osw_call *call, const struct osw_any *a)
{
    static thread_local struct osw_last_bytes last;
    int64_t n = osw_numel(a->self);
    int is_float = osw_rule_category(a->self->dtype) == 2;
    nonzero<U> test = {(U)(is_float ? (U) ~(U)0 >> 1 : ~(U)0)};
    auto in =
        thrust::make_transform_iterator((const U *)osw_data(a->self), test);
    uint8_t *out = (uint8_t *)osw_data(a->out);
    void *temp;

    if (!osw_last_bytes_are(&last, n, 1))
        cub::DeviceReduce::Reduce(NULL, last.bytes, in, out, n, either(), 0);
    temp = osw_workspace(call, last.bytes);
    if (!temp)
        return OSW_ERROR;
    if (cub::DeviceReduce::Reduce(temp, last.bytes, in, out, n, either(), 0,
                                  (cudaStream_t)call->stream))
        return osw_error(call, "CUB cannot reduce it");
    return 0;
}

extern "C" int any_kernel_impl(const osw_call *call)
{
    struct osw_any a;
    int rc = osw_any_open(call, &a);

    if (rc)
        return rc;
    if (!osw_is_contiguous(a.self) || osw_numel(a.self) == 0)
        return OSW_UNSUPPORTED;
    if (a.self->dtype.bits == 8)
        return reduce<uint8_t>(call, &a);
    if (a.self->dtype.bits == 16)
        return reduce<uint16_t>(call, &a);
    return a.self->dtype.bits == 32 ? reduce<uint32_t>(call, &a)
                                    : reduce<uint64_t>(call, &a);
}
