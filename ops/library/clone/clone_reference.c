/* clone - a contiguous copy */
#include "../shared/copy_reference.h"
#include "declare.h"

int clone_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

int clone_reference(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_copy_reference(call, out, osw_arg_tensor(call, 0)) : rc;
}
