/* ops/library/any/find_plain.cuh - looks for an element that is FOUND(v), which
 * a file defines before it includes this, an element per thread
 */
#ifndef OSW_LIBRARY_FIND_PLAIN_CUH
#define OSW_LIBRARY_FIND_PLAIN_CUH

#include "../shared/plain_copy.cuh"
#include "any.cuh"

struct find_job {
    struct osw_plain_axes axes;
    int64_t total;
    const char *from;
    uint8_t *out;
    uint8_t found; /* the result if there is one; else the other */
};

/* Those that find one all write the same. */
template <class E, class I>
static __global__ void find(const __grid_constant__ find_job job)
{
    typedef typename osw_plain_math<E>::type A;

    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at;

        osw_plain_at<1>(job.axes, i, &at);
        if (FOUND(osw_plain_load<A>((const E *)job.from + at)))
            *job.out = job.found;
    }
}

/* The op: its result is `found` if an element is. */
static int find_any(const osw_call *call, uint8_t found)
{
    struct osw_any a;
    find_job job = {};
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
    job.found = found;
    rc = osw_plain_fill(call, a.out, found ? 0.0 : 1.0);
    if (rc)
        return rc;
    return osw_plain_by_dtype(a.self->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, find<E, decltype(i)>, job.total, job);
        });
    });
}

#endif /* OSW_LIBRARY_FIND_PLAIN_CUH */
