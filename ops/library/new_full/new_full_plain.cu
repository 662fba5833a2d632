/* new_full - one value, of any size */
#include "../shared/plain_copy.cuh"
#include "declare.h"

extern "C" int new_full_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_plain_fill_arg(call, out, 2) : rc;
}
