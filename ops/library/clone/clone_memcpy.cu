/* clone - a contiguous copy, by the CUDA runtime */
#include "../shared/vendor_copy.cuh"
#include "declare.h"

extern "C" int clone_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_vendor_copy(call, out, osw_arg_tensor(call, 0)) : rc;
}
