/* ops/library/slice_backward/slice_backward_reference.c - zeros, and
 * grad_output where the slice took from
 */
#include "../shared/copy_reference.h"
#include "../shared/part_backward.h"

int slice_backward_meta(const osw_call *call)
{
    struct osw_part p;

    return osw_part_open_slice(call, &p);
}

int slice_backward_reference(const osw_call *call)
{
    struct osw_part p = {0};
    int rc = osw_part_open_slice(call, &p);

    if (rc)
        return rc;
    osw_part_clear(&p);
    return osw_copy_reference(call, &p.place.t, p.grad);
}
