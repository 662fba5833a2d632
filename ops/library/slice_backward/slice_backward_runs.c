/* ops/library/slice_backward/slice_backward_runs.c - cleared, then copied in
 * runs */
#include "../shared/copying.h"
#include "../shared/part_backward.h"

int slice_backward_kernel_impl(const osw_call *call)
{
    struct osw_part p = {0};
    int rc = osw_part_open_slice(call, &p);

    if (rc)
        return rc;
    if (osw_numel(p.out) != osw_numel(p.grad))
        osw_part_clear(&p);
    return osw_copy_run(call, &p.place.t, p.grad);
}
