/* ops/library/vendor_copy.cuh - copies by the CUDA runtime
 *
 * What cudaMemcpyAsync() and cudaMemcpy2DAsync() can do: one run of bytes, or
 * rows of them at a pitch.
 */
#ifndef OSW_LIBRARY_VENDOR_COPY_CUH
#define OSW_LIBRARY_VENDOR_COPY_CUH

#include "axes.cuh"

static inline int osw_vendor_done(const osw_call *call, cudaError_t e)
{
    return e == cudaSuccess ? 0 : osw_error(call, cudaGetErrorString(e));
}

static inline int osw_vendor_is_pitch(int64_t step, int64_t width)
{
    return step >= width && step <= INT32_MAX;
}

/* to[...] = from[...], of one dtype and shape. */
static inline int osw_vendor_copy(const osw_call *call, const osw_tensor *to,
                                  const osw_tensor *from)
{
    const osw_tensor *t[2] = {to, from};
    cudaStream_t stream = (cudaStream_t)call->stream;
    const struct osw_axis *run, *row;
    struct osw_axes a;

    if (!osw_rule_same(to->dtype, from->dtype) || !osw_view_fits(to, from))
        return OSW_UNSUPPORTED;
    if (osw_numel(to) == 0)
        return 0;
    osw_axes_of_bytes(&a, to->ndim, to->shape, t, 2);
    run = &a.axis[0];
    row = &a.axis[1];
    if (a.n == 1)
        return osw_vendor_done(
            call,
            cudaMemcpyAsync(osw_data(to), osw_data(from), (size_t)run->size,
                            cudaMemcpyDeviceToDevice, stream));
    if (a.n > 2 || !osw_vendor_is_pitch(row->step[0], run->size) ||
        !osw_vendor_is_pitch(row->step[1], run->size))
        return OSW_UNSUPPORTED;
    return osw_vendor_done(
        call,
        cudaMemcpy2DAsync(osw_data(to), (size_t)row->step[0], osw_data(from),
                          (size_t)row->step[1], (size_t)run->size,
                          (size_t)row->size, cudaMemcpyDeviceToDevice, stream));
}

/* All bits 0 in a contiguous tensor. */
static inline int osw_vendor_clear(const osw_call *call, const osw_tensor *t)
{
    int64_t bytes = osw_numel(t) * (t->dtype.bits / 8);

    if (bytes == 0)
        return 0;
    return osw_vendor_done(call, cudaMemsetAsync(osw_data(t), 0, (size_t)bytes,
                                                 (cudaStream_t)call->stream));
}

#endif /* OSW_LIBRARY_VENDOR_COPY_CUH */
