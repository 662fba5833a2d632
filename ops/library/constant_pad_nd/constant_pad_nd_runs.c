/* constant_pad_nd - a constant around, or a rim cut off: filled, then copied in
 * runs */
#include "../shared/copying.h"
#include "declare.h"

int constant_pad_nd_kernel_impl(const osw_call *call)
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
    if (osw_numel(&to.t) != osw_numel(out))
        rc = osw_copy_fill_arg(call, out, 2);
    if (rc)
        return rc;
    return osw_copy_run(call, &to.t, &from.t);
}
