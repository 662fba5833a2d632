/* constant_pad_nd - a constant around, or a rim cut off */
#include "../shared/copy_reference.cuh"
#include "declare.h"

extern "C" int constant_pad_nd_meta(const osw_call *call)
{
    int64_t pad[2 * OSW_RULE_DIMS];
    int rc;

    declare(call, pad, &rc);
    return rc;
}

extern "C" int constant_pad_nd_reference(const osw_call *call)
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
    osw_copy_reference_fill_with(call, out,
                                 osw_element_arg(call, 2, out->dtype));
    return osw_copy_reference(call, &to.t, &from.t);
}
