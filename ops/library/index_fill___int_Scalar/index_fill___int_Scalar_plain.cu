/* index_fill_.int_Scalar - a thread per element that is written */
#include "../shared/plain_picking.cuh"
#include "index_fill.h"

struct fill_job {
    osw_plain_axes axes; /* of slice 0 of self, of the index */
    int64_t total;
    osw_plain_picked to;
    struct osw_element element;
};

/* Where a slice starts; negative entries count from the end. */
static __device__ inline int64_t slice(const osw_plain_picked &p, int64_t at)
{
    int64_t k = p.index_bits == 64 ? ((const int64_t *)p.index)[at]
                                   : ((const int32_t *)p.index)[at];

    k += k < 0 ? p.n : 0;
    if (k < 0 || k >= p.n)
        __trap();
    return k * p.stride;
}

template <class T, class I>
static __global__ void fill(const __grid_constant__ fill_job job)
{
    T value;

    memcpy(&value, job.element.words, sizeof(value));
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[2];

        osw_plain_at<2>(job.axes, i, at);
        ((T *)job.to.data)[at[0] + slice(job.to, at[1])] = value;
    }
}

extern "C" int index_fill___int_Scalar_kernel_impl(const osw_call *call)
{
    struct osw_index_fill f = {};
    int rc = osw_index_fill_open(call, &f);
    const osw_tensor *out = f.out.tensor, *index = f.index;
    fill_job job = {};

    if (rc)
        return rc;
    if (out->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    for (int32_t d = 0; d < out->ndim; d++)
        if (d == f.out.dim)
            osw_plain_axes_add(&job.axes, osw_numel(index), 0,
                               index->ndim ? index->strides[0] : 0, 0);
        else
            osw_plain_axes_add(&job.axes, out->shape[d], out->strides[d], 0, 0);
    if (job.axes.n == 0)
        job.axes.size[job.axes.n++] = 1;
    job.total = f.out.n_outer * osw_numel(index) * f.out.inner;
    job.to = osw_plain_picked_of(out, f.out.dim, index);
    job.element = f.element;
    return osw_plain_by_size(out->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, fill<T, decltype(i)>, job.total, job);
        });
    });
}
