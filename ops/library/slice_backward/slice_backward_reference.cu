/* ops/library/slice_backward/slice_backward_reference.cu - zeros, and
 * grad_output where the slice took from
 */
#include "../shared/copy_reference.cuh"
#include "../shared/part_backward.h"

extern "C" int slice_backward_meta(const osw_call *call)
{
    struct osw_part p;

    return osw_part_open_slice(call, &p);
}

extern "C" int slice_backward_reference(const osw_call *call)
{
    struct osw_part p = {};
    int rc = osw_part_open_slice(call, &p);

    if (rc)
        return rc;
    osw_copy_reference_fill(call, p.out, 0.0);
    return osw_copy_reference(call, &p.place.t, p.grad);
}
