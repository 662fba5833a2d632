/* clone - a contiguous copy */
#include "../shared/copy_reference.cuh"
#include "declare.h"

extern "C" int clone_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

extern "C" int clone_reference(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_copy_reference(call, out, osw_arg_tensor(call, 0)) : rc;
}
