/* clone - a contiguous copy */
#include "../shared/copying.cuh"
#include "declare.h"

extern "C" int clone_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_copy_same(call, out, osw_arg_tensor(call, 0)) : rc;
}
