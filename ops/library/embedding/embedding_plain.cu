/* ops/library/embedding/embedding_plain.cu - an element of a row per thread */
#include "../shared/plain_picking.cuh"
#include "embedding.h"

extern "C" int embedding_kernel_impl(const osw_call *call)
{
    struct osw_embedding e = {};
    osw_plain_pick_job job = {};
    int rc = osw_embedding_open(call, &e);
    int32_t n;

    if (rc)
        return rc;
    n = e.indices->ndim;
    if (n >= OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    for (int32_t d = 0; d < n; d++)
        osw_plain_axes_add(&job.axes, e.out->shape[d], e.out->strides[d], 0,
                           e.indices->strides[d]);
    osw_plain_axes_add(&job.axes, e.out->shape[n], e.out->strides[n],
                       e.weight->strides[1], 0);
    job.from = osw_plain_picked_of(e.weight, 0, e.indices);
    return osw_plain_pick(call, &job, e.out);
}
