/* shared/index_put_plain.cuh - baseline: a copy of self, in which a thread puts
 * a value at a time
 */
#ifndef OSW_LIBRARY_INDEX_PUT_PLAIN_CUH
#define OSW_LIBRARY_INDEX_PUT_PLAIN_CUH

#include "index_put.h"
#include "indexing.cuh"
#include "plain_picking.cuh"

struct osw_index_put_job {
    osw_index_view view;
    osw_plain_axes axes; /* of what is picked, of the values */
    const char *values;
    char *to;
    int accumulate;
};

/* Which of several values for one element stays is not defined, as in torch. */
template <class E, class I>
static __global__ void
osw_index_put_kernel(const __grid_constant__ osw_index_put_job job)
{
    typedef typename osw_plain_math<E>::type A;

    for (I i = osw_plain_first<I>(); i < (I)job.view.total;
         i += osw_plain_step<I>()) {
        A *to = (A *)job.to + osw_index_element<I>(job.view, i);
        int64_t at[2];
        A v;

        osw_plain_at<2>(job.axes, i, at);
        v = osw_plain_load<A>((const E *)job.values + at[1]);
        if (job.accumulate)
            osw_plain_add_to(to, v, (A)1);
        else
            *to = v;
    }
}

static inline int osw_index_put_launch(const osw_call *call,
                                       const struct osw_index_put *a,
                                       const osw_tensor *to)
{
    const osw_tensor *t[OSW_PLAIN_TENSORS] = {NULL, a->values};
    osw_index_put_job job = {};

    osw_index_view_of(&job.view, &a->x);
    osw_plain_axes_of(&job.axes, a->x.picked_ndim, a->x.picked, t);
    job.values = (const char *)osw_data(a->values);
    job.to = (char *)osw_data(to);
    job.accumulate = a->accumulate;
    return osw_plain_by_dtype(a->values->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_count(job.view.total, [&](auto i) {
            return osw_plain_launch(call, osw_index_put_kernel<E, decltype(i)>,
                                    job.view.total, job);
        });
    });
}

/* rc: what opening the arguments returned. */
static inline int osw_index_put_plain(const osw_call *call,
                                      const osw_index_put &a, int rc)
{
    struct osw_plain_total t;

    if (!rc)
        rc = osw_plain_total_open(call, &t, a.out);
    if (!rc && !(t.is_out && osw_data(a.out) == osw_data(a.self)))
        rc = osw_plain_copy(call, &t.view.t, a.self);
    if (!rc)
        rc = osw_index_put_launch(call, &a, &t.view.t);
    return rc ? rc : osw_plain_total_close(call, &t);
}

#endif /* OSW_LIBRARY_INDEX_PUT_PLAIN_CUH */
