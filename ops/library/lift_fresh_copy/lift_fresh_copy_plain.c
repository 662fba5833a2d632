/* lift_fresh_copy - a contiguous copy, by a plain loop */
#include "../clone/declare.h"
#include "../shared/plain_copy.h"

int lift_fresh_copy_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_plain_copy(call, out, osw_arg_tensor(call, 0)) : rc;
}
