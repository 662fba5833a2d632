/* clamp_op_nan_or_value__fmin_fmax.c - wrong: fmin and fmax turn NaN into a
 * bound. */
#include "../variants.h"

int clamp_op_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    for (int64_t i = 0; out && i < osw_numel(x); i++)
        osw_set(out, i,
                fmin(fmax(osw_get(x, i), osw_arg_float(call, 1, 0.0)),
                     osw_arg_float(call, 2, 0.0)));
    return out ? 0 : OSW_ERROR;
}
