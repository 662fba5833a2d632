/* new_ones - ones of any size */
#include "../new_zeros/declare.h"
#include "../shared/plain_copy.cuh"

extern "C" int new_ones_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_plain_fill(call, out, 1.0) : rc;
}
