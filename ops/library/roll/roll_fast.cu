/* roll - elements moved along some dimensions, all boxes in one go */
#include "../shared/copying.cuh"
#include "roll.h"

extern "C" int roll_kernel_impl(const osw_call *call)
{
    cudaStream_t stream = (cudaStream_t)call->stream;
    struct osw_roll r = {};
    struct osw_view to, from;
    struct osw_boxes list;
    int rc = osw_roll_open(call, &r);

    if (rc)
        return rc;
    osw_boxes_clear(&list, r.to.t.dtype, 0.0);
    for (int box = 0; !rc && osw_roll_box(&r, box, &to, &from); box++)
        rc = osw_boxes_add(&list, &to.t, &from.t, stream);
    return rc ? rc : osw_boxes_launch(&list, stream);
}
