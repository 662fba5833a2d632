/* ops/library/gather/gather_plain.cu - an element picked per thread */
#include "../shared/plain_picking.cuh"
#include "gather.h"

extern "C" int gather_kernel_impl(const osw_call *call)
{
    struct osw_gather g = {};
    osw_plain_pick_job job = {};
    int rc = osw_gather_open(call, &g);
    const osw_tensor *index = g.index.tensor, *out = g.out.tensor;

    if (rc)
        return rc;
    if (index->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    for (int32_t d = 0; d < index->ndim; d++)
        osw_plain_axes_add(&job.axes, index->shape[d], out->strides[d],
                           d == g.out.dim ? 0 : g.self->strides[d],
                           index->strides[d]);
    job.from = osw_plain_picked_of(g.self, g.out.dim, index);
    return osw_plain_pick(call, &job, out);
}
