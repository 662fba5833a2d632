/* constant_pad_nd - zeros around, or a rim cut off: cleared, then copied, by
 * the CUDA runtime
 */
#include "../shared/vendor_copy.cuh"
#include "declare.h"

extern "C" int constant_pad_nd_kernel_impl(const osw_call *call)
{
    struct osw_view to, from;
    int64_t pad[2 * OSW_RULE_DIMS];
    int rc;
    osw_tensor *out = declare(call, pad, &rc);

    if (!out)
        return rc;
    osw_view_of(&to, out);
    osw_view_of(&from, osw_arg_tensor(call, 0));
    overlap(&to, &from, pad);
    if (osw_numel(&to.t) != osw_numel(out)) {
        if (osw_arg_float(call, 2, 0.0) != 0.0)
            return OSW_UNSUPPORTED;
        rc = osw_vendor_clear(call, out);
    }
    return rc ? rc : osw_vendor_copy(call, &to.t, &from.t);
}
