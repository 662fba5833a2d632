/* y = factor * x, for f32 */
#include <opsweep/op.h>

int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    float factor = (float)osw_arg_float(call, 1, 1.0);
    osw_tensor *y;

    if (!x || !osw_is(x, OSW_FLOAT, 32) || !osw_is_contiguous(x))
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = factor * ((const float *)osw_data(x))[i];
    return 0;
}
