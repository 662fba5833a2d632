/* new_zeros - zeros of any size */
#include "../shared/copy_reference.cuh"
#include "declare.h"

extern "C" int new_zeros_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

extern "C" int new_zeros_reference(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    if (!out)
        return rc;
    osw_copy_reference_fill(call, out, 0.0);
    return 0;
}
