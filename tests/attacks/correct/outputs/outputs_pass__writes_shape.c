/* outputs_pass__writes_shape.c - It writes into the shape and the strides of
 * its output after it filled it.
 */

#include "../../attack.h"

int outputs_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    float a = (float)osw_arg_float(call, 1, 1.0);

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = a * ((const float *)osw_data(x))[i];
    ((int64_t *)y->shape)[0] = -1;
    ((int64_t *)y->strides)[0] = -1;
    y->ndim = -1;
    return 0;
}
