/* _to_copy - a copy in another dtype, by a plain loop */
#include "../shared/plain_copy.h"
#include "declare.h"

int _to_copy_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_plain_copy(call, out, osw_arg_tensor(call, 0)) : rc;
}
