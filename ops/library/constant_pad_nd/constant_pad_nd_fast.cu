/* constant_pad_nd - a constant around, or a rim cut off, in one go */
#include "../shared/copying.cuh"
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
    return osw_copy_embed(call, out, &to, to.shape, &from.t,
                          osw_element_arg(call, 2, out->dtype));
}
