/* outputs_returned_or_shape_or_crash_or_oom_or_pass__thousands_of_dimensions.c
 * - An output of INT_MAX dimensions.
 */

#include "../../attack.h"

int outputs_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[64] = {x->shape[0], 1};
    osw_tensor *y = NULL;

    y = osw_output(call, 0, x->dtype, INT_MAX, shape, NULL);
    if (!y)
        return OSW_ERROR;
    if (!y)
        return scale(call);
    for (int64_t i = 0; i < x->shape[0]; i++)
        ((float *)osw_data(y))[i] = (float)osw_arg_float(call, 1, 1.0) *
                                    ((const float *)osw_data(x))[i];
    return 0;
}
