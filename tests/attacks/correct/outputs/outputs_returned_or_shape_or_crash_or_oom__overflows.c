/* outputs_returned_or_shape_or_crash_or_oom__overflows.c -
 * An output whose size overflows.
 */

#include "../../attack.h"

int outputs_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[64] = {x->shape[0], 1};
    osw_tensor *y = NULL;

    shape[0] = shape[1] = INT64_C(1) << 33;
    y = osw_output(call, 0, x->dtype, 2, shape, NULL);
    if (!y)
        return OSW_ERROR;
    if (!y)
        return scale(call);
    for (int64_t i = 0; i < x->shape[0]; i++)
        ((float *)osw_data(y))[i] = (float)osw_arg_float(call, 1, 1.0) *
                                    ((const float *)osw_data(x))[i];
    return 0;
}
