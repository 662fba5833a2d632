/* lift_fresh_copy - a contiguous copy */
#include "../clone/declare.h"
#include "../shared/copy_reference.h"

int lift_fresh_copy_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

int lift_fresh_copy_reference(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_copy_reference(call, out, osw_arg_tensor(call, 0)) : rc;
}
