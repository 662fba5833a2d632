/* ops/library/index__Tensor/index__Tensor_plain.cu - an element per thread */
#include "../shared/indexing.cuh"

struct index_job {
    osw_index_view view;
    char *to;
    const char *from;
};

template <class T, class I>
static __global__ void pick(const __grid_constant__ index_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.view.total;
         i += osw_plain_step<I>())
        ((T *)job.to)[i] =
            ((const T *)job.from)[osw_index_element<I>(job.view, i)];
}

extern "C" int index__Tensor_kernel_impl(const osw_call *call)
{
    struct osw_index x = {};
    index_job job = {};
    int rc;
    osw_tensor *out = osw_index_pick(call, &x, &rc);

    if (!out)
        return rc;
    osw_index_view_of(&job.view, &x);
    job.to = (char *)osw_data(out);
    job.from = (const char *)osw_data(x.self);
    return osw_plain_by_size(out->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job.view.total, [&](auto i) {
            return osw_plain_launch(call, pick<T, decltype(i)>, job.view.total,
                                    job);
        });
    });
}
