/* ops/library/index_select/index_select_plain.cu - an element picked per thread
 */
#include "../shared/plain_picking.cuh"
#include "index_select.h"

extern "C" int index_select_kernel_impl(const osw_call *call)
{
    struct osw_index_select s = {};
    osw_plain_pick_job job = {};
    int rc = osw_index_select_open(call, &s);
    const osw_tensor *self = s.from.tensor;

    if (rc)
        return rc;
    if (self->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    for (int32_t d = 0; d < self->ndim; d++) {
        int across = d == s.from.dim;

        osw_plain_axes_add(&job.axes, s.out->shape[d], s.out->strides[d],
                           across ? 0 : self->strides[d],
                           across && s.index->ndim ? s.index->strides[0] : 0);
    }
    job.from = osw_plain_picked_of(self, s.from.dim, s.index);
    return osw_plain_pick(call, &job, s.out);
}
