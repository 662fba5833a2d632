/* ops/library/select_backward/select_backward_plain.cu - cleared, then copied,
 * a thread per element
 */
#include "../shared/part_backward.h"
#include "../shared/plain_copy.cuh"

extern "C" int select_backward_kernel_impl(const osw_call *call)
{
    struct osw_part p = {};
    int rc = osw_part_open_select(call, &p);

    if (!rc && osw_numel(p.out) != osw_numel(p.grad))
        rc = osw_plain_fill(call, p.out, 0.0);
    return rc ? rc : osw_plain_copy(call, &p.place.t, p.grad);
}
