/* copy_ - src, broadcast and converted, into self */
#include "../shared/plain_copy.cuh"
#include "declare.h"

extern "C" int copy__kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_plain_copy(call, out, osw_arg_tensor(call, 1)) : rc;
}
