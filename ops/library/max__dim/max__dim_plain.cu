/* ops/library/max__dim/max__dim_plain.cu - a row per thread */
#include "../shared/plain_picking.cuh"
#include "max.h"

struct max_job {
    osw_plain_axes axes; /* of the outputs, of slice 0 of self */
    int64_t total, n, stride;
    const char *x;
    char *values;
    int64_t *places;
};

template <class E, class I>
static __global__ void largest(const __grid_constant__ max_job job)
{
    typedef typename osw_plain_math<E>::type A;

    for (I k = osw_plain_first<I>(); k < (I)job.total;
         k += osw_plain_step<I>()) {
        int64_t at[2], place = 0;
        const E *x;
        A best;

        osw_plain_at<2>(job.axes, k, at);
        x = (const E *)job.x + at[1];
        best = osw_plain_load<A>(x);
        for (int64_t i = 1; i < job.n; i++) {
            A v = osw_plain_load<A>(x + i * job.stride);

            if (!(v <= best) && best == best) {
                best = v;
                place = i;
            }
        }
        ((E *)job.values)[at[0]] = x[place * job.stride];
        job.places[at[0]] = place;
    }
}

extern "C" int max__dim_kernel_impl(const osw_call *call)
{
    struct osw_max m = {};
    max_job job = {};
    int rc = osw_max_open(call, &m);
    const osw_tensor *x = m.x.tensor;

    if (rc)
        return rc;
    if (x->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    for (int32_t d = 0, k = 0; d < x->ndim; d++)
        if (d != m.x.dim)
            osw_plain_axes_add(
                &job.axes, x->shape[d],
                m.values->strides[m.values->ndim == x->ndim ? d : k++],
                x->strides[d], 0);
    if (job.axes.n == 0)
        job.axes.size[job.axes.n++] = 1;
    job.total = osw_numel(m.values);
    job.n = m.x.n;
    job.stride = m.x.stride;
    job.x = (const char *)osw_data(x);
    job.values = (char *)osw_data(m.values);
    job.places = (int64_t *)osw_data(m.places);
    return osw_plain_by_dtype(x->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, largest<E, decltype(i)>, job.total,
                                    job);
        });
    });
}
