/* ops/library/select_backward/select_backward_memcpy.cu - cleared, then
 * copied, by the CUDA runtime
 */
#include "../shared/part_backward.h"
#include "../shared/vendor_copy.cuh"

extern "C" int select_backward_kernel_impl(const osw_call *call)
{
    struct osw_part p = {};
    int rc = osw_part_open_select(call, &p);

    if (!rc && osw_numel(p.out) != osw_numel(p.grad))
        rc = osw_vendor_clear(call, p.out);
    return rc ? rc : osw_vendor_copy(call, &p.place.t, p.grad);
}
