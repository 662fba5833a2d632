/* zero_ - every element of self becomes 0, a thread per element */
#include "../shared/plain_copy.cuh"

struct zero_job {
    struct osw_plain_axes axes;
    int64_t total;
    char *to;
};

template <class T, class I>
static __global__ void clear(const __grid_constant__ zero_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at;

        osw_plain_at<1>(job.axes, i, &at);
        ((T *)job.to)[at] = T();
    }
}

extern "C" int zero__kernel_impl(const osw_call *call)
{
    const osw_tensor *out = osw_output_alias(call, 0, 0);
    const osw_tensor *t[OSW_PLAIN_TENSORS] = {out};
    zero_job job = {};

    if (!out)
        return OSW_ERROR;
    if (out->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    osw_plain_axes_of(&job.axes, out->ndim, out->shape, t);
    job.total = osw_numel(out);
    job.to = (char *)osw_data(out);
    return osw_plain_by_size(out->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, clear<T, decltype(i)>, job.total,
                                    job);
        });
    });
}
