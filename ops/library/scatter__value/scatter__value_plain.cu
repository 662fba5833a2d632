/* scatter.value - a copy of self, then an entry of the index per thread */
#include "../shared/plain_picking.cuh"
#include "../shared/scatter.h"

struct put_job {
    osw_plain_axes axes; /* of slice 0 of the output, of the index */
    int64_t total;
    osw_plain_picked to;
    struct osw_element element;
};

template <class T, class I>
static __global__ void put(const __grid_constant__ put_job job)
{
    T value;

    memcpy(&value, job.element.words, sizeof(value));
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[2];

        osw_plain_at<2>(job.axes, i, at);
        ((T *)job.to.data)[at[0] + osw_plain_slice(job.to, at[1])] = value;
    }
}

extern "C" int scatter__value_kernel_impl(const osw_call *call)
{
    struct osw_scatter s = {};
    put_job job = {};
    int rc = osw_scatter_open_value(call, &s, &job.element);
    const osw_tensor *index = s.index.tensor;

    if (!rc && index->ndim > OSW_RULE_DIMS)
        rc = OSW_UNSUPPORTED;
    if (!rc)
        rc = osw_plain_copy(call, s.out, s.self);
    if (rc)
        return rc;
    for (int32_t d = 0; d < index->ndim; d++)
        osw_plain_axes_add(&job.axes, index->shape[d],
                           d == s.index.dim ? 0 : s.out->strides[d],
                           index->strides[d], 0);
    if (job.axes.n == 0)
        job.axes.size[job.axes.n++] = 1;
    job.total = osw_numel(index);
    job.to = osw_plain_picked_of(s.out, s.index.dim, index);
    return osw_plain_by_size(s.out->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, put<T, decltype(i)>, job.total, job);
        });
    });
}
