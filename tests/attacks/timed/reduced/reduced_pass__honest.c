/* reduced_pass__honest.c - It computes each time. */

#include "reduced.h"

int reduced_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 0, NULL, NULL);

    if (!y)
        return OSW_ERROR;
    *(float *)osw_data(y) = (float)reduce(x);
    return 0;
}
