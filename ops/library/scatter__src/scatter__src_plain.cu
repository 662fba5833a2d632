/* ops/library/scatter__src/scatter__src_plain.cu - a copy of self, then an
 * element of src per thread
 */
#include "../shared/plain_picking.cuh"
#include "../shared/scatter.h"

struct scatter_job {
    osw_plain_axes
        axes; /* of the src, of slice 0 of the output, of the index */
    int64_t total;
    const char *src;
    osw_plain_picked to;
};

template <class T, class I>
static __global__ void put(const __grid_constant__ scatter_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[3];

        osw_plain_at<3>(job.axes, i, at);
        ((T *)job.to.data)[at[1] + osw_plain_slice(job.to, at[2])] =
            ((const T *)job.src)[at[0]];
    }
}

extern "C" int scatter__src_kernel_impl(const osw_call *call)
{
    struct osw_scatter s = {};
    scatter_job job = {};
    int rc = osw_scatter_open(call, &s);
    const osw_tensor *index = s.index.tensor;

    if (!rc && index->ndim > OSW_RULE_DIMS)
        rc = OSW_UNSUPPORTED;
    if (!rc)
        rc = osw_plain_copy(call, s.out, s.self);
    if (rc)
        return rc;
    for (int32_t d = 0; d < index->ndim; d++)
        osw_plain_axes_add(&job.axes, index->shape[d], s.src->strides[d],
                           d == s.index.dim ? 0 : s.out->strides[d],
                           index->strides[d]);
    if (job.axes.n == 0)
        job.axes.size[job.axes.n++] = 1;
    job.total = osw_numel(index);
    job.src = (const char *)osw_data(s.src);
    job.to = osw_plain_picked_of(s.out, s.index.dim, index);
    return osw_plain_by_size(s.out->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, put<T, decltype(i)>, job.total, job);
        });
    });
}
