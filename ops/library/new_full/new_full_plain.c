/* new_full - one value, of any size, by a plain loop */
#include "../shared/plain_copy.h"
#include "declare.h"

int new_full_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_plain_fill_arg(call, out, 2) : rc;
}
