/* clone - a contiguous copy, in runs */
#include "../shared/copying.h"
#include "declare.h"

int clone_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_copy_run(call, out, osw_arg_tensor(call, 0)) : rc;
}
