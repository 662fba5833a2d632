/* outputs_pass_or_crash_or_returned__other_call.c -
 * Functions of the call get a call of its own making.
 */

#include "../../attack.h"

int outputs_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[64] = {x->shape[0], 1};
    osw_tensor *y = NULL;

    osw_call other = *call;

    other.runner = NULL;
    other.n_args = 1000;
    y = call->output(call, 0, x->dtype, 1, shape, NULL);
    other.error(&other, "forged");
    if (!y)
        return scale(call);
    for (int64_t i = 0; i < x->shape[0]; i++)
        ((float *)osw_data(y))[i] = (float)osw_arg_float(call, 1, 1.0) *
                                    ((const float *)osw_data(x))[i];
    return 0;
}
