/* shared/vendor_copy.cuh - copies by the CUDA runtime
 *
 * What cudaMemcpyAsync() and cudaMemcpy2DAsync() can do: one run of bytes, or
 * rows of them at a pitch; and a few of these one after the other.
 */
#ifndef OSW_LIBRARY_VENDOR_COPY_CUH
#define OSW_LIBRARY_VENDOR_COPY_CUH

#include "axes.cuh"

static inline int osw_vendor_done(const osw_call *call, cudaError_t e)
{
    return e == cudaSuccess ? 0 : osw_error(call, cudaGetErrorString(e));
}

/* More copies than this, or several of shorter runs, are no baseline. */
#define OSW_VENDOR_MOST 256
#define OSW_VENDOR_RUN  64 /* bytes */

static inline int osw_vendor_is_pitch(int64_t step, int64_t width)
{
    return step >= width && step <= INT32_MAX;
}

/* Rows of bytes at a pitch. */
static inline cudaError_t osw_vendor_rows(char *to, const char *from,
                                          const struct osw_axis *run,
                                          const struct osw_axis *row,
                                          cudaStream_t stream)
{
    if (row->size == 1)
        return cudaMemcpyAsync(to, from, (size_t)run->size,
                               cudaMemcpyDeviceToDevice, stream);
    return cudaMemcpy2DAsync(
        to, (size_t)row->step[0], from, (size_t)row->step[1], (size_t)run->size,
        (size_t)row->size, cudaMemcpyDeviceToDevice, stream);
}

/* to[...] = from[...], of one dtype and shape. */
static inline int osw_vendor_copy(const osw_call *call, const osw_tensor *to,
                                  const osw_tensor *from)
{
    const osw_tensor *t[2] = {to, from};
    const struct osw_axis one = {1, {0}};
    struct osw_axis run, row = one;
    struct osw_axes a;
    int64_t n;

    if (!osw_rule_same(to->dtype, from->dtype) || !osw_view_fits(to, from) ||
        osw_view_overlaps(to))
        return OSW_UNSUPPORTED;
    if (osw_numel(to) == 0)
        return 0;
    osw_axes_of_bytes(&a, to->ndim, to->shape, t, 2);
    run = a.axis[0];
    a.axis[0] = one;
    /* Rows are the axis with the most of them that has pitches. */
    for (int d = 1, at = 0; d < a.n; d++)
        if (osw_vendor_is_pitch(a.axis[d].step[0], run.size) &&
            osw_vendor_is_pitch(a.axis[d].step[1], run.size) &&
            a.axis[d].size > row.size) {
            a.axis[at] = row;
            at = d;
            row = a.axis[d];
            a.axis[d] = one;
        }
    n = osw_axes_total(&a);
    if (n > OSW_VENDOR_MOST || (n > 1 && run.size < OSW_VENDOR_RUN))
        return OSW_UNSUPPORTED;
    for (int64_t i = 0; i < n; i++) {
        char *into = (char *)osw_data(to);
        const char *out_of = (const char *)osw_data(from);
        int64_t rest = i;
        cudaError_t e;

        for (int d = 0; d < a.n; d++) {
            into += rest % a.axis[d].size * a.axis[d].step[0];
            out_of += rest % a.axis[d].size * a.axis[d].step[1];
            rest /= a.axis[d].size;
        }
        e = osw_vendor_rows(into, out_of, &run, &row,
                            (cudaStream_t)call->stream);
        if (e != cudaSuccess)
            return osw_vendor_done(call, e);
    }
    return 0;
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
