/* ops/library/slice_backward/slice_backward_plain.c - cleared, then copied by a
 * plain loop */
#include "../shared/part_backward.h"
#include "../shared/plain_copy.h"

int slice_backward_kernel_impl(const osw_call *call)
{
    struct osw_part p = {0};
    int rc = osw_part_open_slice(call, &p);

    if (rc)
        return rc;
    if (osw_numel(p.out) != osw_numel(p.grad))
        osw_part_clear(&p);
    return osw_plain_copy(call, &p.place.t, p.grad);
}
