/* shared/scatter_add_plain.cuh - baseline: a copy of self, to which a thread
 * adds an element of src at a time
 */
#ifndef OSW_LIBRARY_SCATTER_ADD_PLAIN_CUH
#define OSW_LIBRARY_SCATTER_ADD_PLAIN_CUH

#include "plain_picking.cuh"
#include "scatter.h"

static inline int osw_scatter_add_launch(const osw_call *call,
                                         const osw_scatter &s,
                                         const osw_tensor *to)
{
    const osw_tensor *index = s.index.tensor;
    osw_plain_add_job job = {};

    for (int32_t d = 0; d < index->ndim; d++)
        osw_plain_axes_add(&job.axes, index->shape[d], s.src->strides[d],
                           d == s.index.dim ? 0 : to->strides[d],
                           index->strides[d]);
    if (job.axes.n == 0)
        job.axes.size[job.axes.n++] = 1;
    job.total = osw_numel(index);
    job.source = (const char *)osw_data(s.src);
    job.to = osw_plain_picked_of(to, s.index.dim, index);
    job.alpha = {1.0, 1};
    return osw_plain_by_dtype(s.src->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, osw_plain_add_kernel<E, decltype(i)>,
                                    job.total, job);
        });
    });
}

/* rc: what opening the arguments returned. */
static inline int osw_scatter_add_plain(const osw_call *call,
                                        const osw_scatter &s, int rc)
{
    struct osw_plain_total t;

    if (!rc && s.index.tensor->ndim > OSW_RULE_DIMS)
        rc = OSW_UNSUPPORTED;
    if (!rc)
        rc = osw_plain_total_open(call, &t, s.out);
    if (!rc && !(t.is_out && osw_data(s.out) == osw_data(s.self)))
        rc = osw_plain_copy(call, &t.view.t, s.self);
    if (!rc)
        rc = osw_scatter_add_launch(call, s, &t.view.t);
    return rc ? rc : osw_plain_total_close(call, &t);
}

#endif /* OSW_LIBRARY_SCATTER_ADD_PLAIN_CUH */
