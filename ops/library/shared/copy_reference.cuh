/* shared/copy_reference.cuh - elements copied one by one, on the device */
#ifndef OSW_LIBRARY_COPY_REFERENCE_CUH
#define OSW_LIBRARY_COPY_REFERENCE_CUH

#include "copy_reference.h"
#include "elementwise_reference.cuh"

struct osw_copy_reference_job {
    struct osw_view to, from;
    int64_t total;
    struct osw_element value; /* of a fill */
};

__global__ static void
osw_copy_reference_kernel(const __grid_constant__ osw_copy_reference_job job)
{
    osw_tensor to = osw_reference_tensor(job.to);
    osw_tensor from = osw_reference_tensor(job.from);
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t l = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
         l < job.total; l += step)
        osw_copy_reference_one(
            to.dtype, osw_at(&to, osw_offset(&to, l)), from.dtype,
            osw_at(&from, osw_offset_in(&from, to.ndim, to.shape, l)));
}

__global__ static void osw_copy_reference_fill_kernel(
    const __grid_constant__ osw_copy_reference_job job)
{
    osw_tensor to = osw_reference_tensor(job.to);
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t l = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
         l < job.total; l += step)
        memcpy(osw_at(&to, osw_offset(&to, l)), job.value.words,
               to.dtype.bits / 8);
}

/* to[...] = from[...], broadcast to its shape and converted. */
static inline int osw_copy_reference(const osw_call *call, const osw_tensor *to,
                                     const osw_tensor *from)
{
    struct osw_copy_reference_job job = {};

    if (!osw_rule_same(to->dtype, from->dtype) &&
        (to->dtype.code == OSW_COMPLEX || from->dtype.code == OSW_COMPLEX))
        return OSW_UNSUPPORTED;
    if (!osw_view_of(&job.to, to) || !osw_view_of(&job.from, from))
        return osw_error(call, "source has too many dimensions");
    if (!osw_view_fits(to, from))
        return osw_error(call, "source does not broadcast to the target");
    job.total = osw_numel(to);
    if (job.total)
        osw_copy_reference_kernel<<<osw_reference_blocks(job.total),
                                    OSW_REFERENCE_THREADS, 0,
                                    (cudaStream_t)call->stream>>>(job);
    return 0;
}

/* Every element of t becomes e. */
static inline void osw_copy_reference_fill_with(const osw_call *call,
                                                const osw_tensor *t,
                                                struct osw_element e)
{
    struct osw_copy_reference_job job = {};

    if (!osw_view_of(&job.to, t))
        return;
    job.value = e;
    job.total = osw_numel(t);
    if (job.total)
        osw_copy_reference_fill_kernel<<<osw_reference_blocks(job.total),
                                         OSW_REFERENCE_THREADS, 0,
                                         (cudaStream_t)call->stream>>>(job);
}

static inline void osw_copy_reference_fill(const osw_call *call,
                                           const osw_tensor *t, double v)
{
    osw_copy_reference_fill_with(call, t, osw_element_of(t->dtype, v));
}

#endif /* OSW_LIBRARY_COPY_REFERENCE_CUH */
