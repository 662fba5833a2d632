/* _to_copy - a copy in another dtype */
#include "../shared/copy_reference.cuh"
#include "declare.h"

extern "C" int _to_copy_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

extern "C" int _to_copy_reference(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_copy_reference(call, out, osw_arg_tensor(call, 0)) : rc;
}
