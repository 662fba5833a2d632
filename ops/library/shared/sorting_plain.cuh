/* shared/sorting_plain.cuh - baseline of sorting.h on a GPU: a thread per
 * element counts those of its row that come before it
 */
#ifndef OSW_LIBRARY_SORTING_PLAIN_CUH
#define OSW_LIBRARY_SORTING_PLAIN_CUH

#include "plain_picking.cuh"
#include "sorting.h"

struct osw_sorting_job {
    osw_plain_axes axes; /* of rows: of both outputs, of self */
    int64_t total;       /* elements of self */
    int64_t n, x_step;   /* of a row of self */
    int64_t kept, step;  /* of a row of the outputs */
    int descending;
    const char *x;
    char *values;
    int64_t *places;
};

/* NaN is larger than any number. */
template <class A> static __device__ bool osw_sorting_less(A a, A b)
{
    return a < b || (b != b && a == a);
}

template <class A>
static __device__ bool osw_sorting_comes(A a, A b, int descending)
{
    return descending ? osw_sorting_less(b, a) : osw_sorting_less(a, b);
}

template <class E>
static __global__ void
osw_sorting_kernel(const __grid_constant__ osw_sorting_job job)
{
    typedef typename osw_plain_math<E>::type A;

    for (int64_t i = osw_plain_first<int64_t>(); i < job.total;
         i += osw_plain_step<int64_t>()) {
        int64_t at[2], own = i % job.n, rank = 0, to;
        const E *x;
        A v;

        osw_plain_at<2>(job.axes, i / job.n, at);
        x = (const E *)job.x + at[1];
        v = osw_plain_load<A>(x + own * job.x_step);
        for (int64_t k = 0; k < job.n; k++) {
            A other = osw_plain_load<A>(x + k * job.x_step);

            rank += osw_sorting_comes(other, v, job.descending) ||
                    (k < own && !osw_sorting_comes(v, other, job.descending));
        }
        if (rank >= job.kept)
            continue;
        to = at[0] + rank * job.step;
        ((E *)job.values)[to] = x[own * job.x_step];
        job.places[to] = own;
    }
}

/* rc: what opening the arguments returned. */
static inline int osw_sorting_plain(const osw_call *call, const osw_sorting &s,
                                    int rc)
{
    const osw_tensor *x = s.x.tensor, *values = s.values.tensor;
    osw_sorting_job job = {};

    if (rc)
        return rc;
    if (x->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    for (int32_t d = 0; d < x->ndim; d++)
        if (d != s.x.dim)
            osw_plain_axes_add(&job.axes, x->shape[d], values->strides[d],
                               x->strides[d], 0);
    if (job.axes.n == 0)
        job.axes.size[job.axes.n++] = 1;
    job.total = osw_numel(x);
    job.n = s.x.n;
    job.x_step = s.x.stride;
    job.kept = s.values.n;
    job.step = s.values.stride;
    job.descending = s.descending;
    job.x = (const char *)osw_data(x);
    job.values = (char *)osw_data(values);
    job.places = (int64_t *)osw_data(s.places.tensor);
    return osw_plain_by_dtype(x->dtype, [&](auto e) {
        return osw_plain_launch(call, osw_sorting_kernel<decltype(e)>,
                                job.total, job);
    });
}

#endif /* OSW_LIBRARY_SORTING_PLAIN_CUH */
