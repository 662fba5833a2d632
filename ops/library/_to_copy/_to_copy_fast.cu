/* _to_copy - a copy in another dtype */
#include "../shared/cast.cuh"
#include "declare.h"

extern "C" int _to_copy_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_cast_copy(call, out, osw_arg_tensor(call, 0)) : rc;
}
