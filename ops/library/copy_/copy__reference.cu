/* copy_ - src, broadcast and converted, into self */
#include "../shared/copy_reference.cuh"
#include "declare.h"

extern "C" int copy__meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

extern "C" int copy__reference(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_copy_reference(call, out, osw_arg_tensor(call, 1)) : rc;
}
