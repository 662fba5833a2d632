/* new_ones - ones of any size, in runs */
#include "../new_zeros/declare.h"
#include "../shared/copying.h"

int new_ones_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_copy_fill(call, out, 1.0) : rc;
}
