/* all - is no element 0?  An element per thread */
#include "../any/any.cuh"
#include "../shared/plain_copy.cuh"

struct all_job {
    struct osw_plain_axes axes;
    int64_t total;
    const char *from;
    uint8_t *out;
};

/* Those that find one all write the same. */
template <class E, class I>
static __global__ void find(const __grid_constant__ all_job job)
{
    typedef typename osw_plain_math<E>::type A;

    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at;

        osw_plain_at<1>(job.axes, i, &at);
        if (osw_plain_load<A>((const E *)job.from + at) == 0)
            *job.out = 0;
    }
}

extern "C" int all_kernel_impl(const osw_call *call)
{
    struct osw_any a;
    all_job job = {};
    int rc = osw_any_open(call, &a);
    const osw_tensor *t[OSW_PLAIN_TENSORS] = {a.self};

    if (rc)
        return rc;
    if (a.self->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    osw_plain_axes_of(&job.axes, a.self->ndim, a.self->shape, t);
    job.total = osw_numel(a.self);
    job.from = (const char *)osw_data(a.self);
    job.out = (uint8_t *)osw_data(a.out);
    rc = osw_plain_fill(call, a.out, 1.0);
    if (rc)
        return rc;
    return osw_plain_by_dtype(a.self->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, find<E, decltype(i)>, job.total, job);
        });
    });
}
