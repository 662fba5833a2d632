/* new_zeros - zeros of any size, by the CUDA runtime */
#include "../shared/vendor_copy.cuh"
#include "declare.h"

extern "C" int new_zeros_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_vendor_clear(call, out) : rc;
}
