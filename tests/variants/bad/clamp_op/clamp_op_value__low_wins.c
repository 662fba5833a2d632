/* clamp_op_value__low_wins.c - wrong: where bounds are crossed, the lower one
 * wins. */
#include "../variants.h"

int clamp_op_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);
    double low = osw_arg_float(call, 1, 0.0),
           high = osw_arg_float(call, 2, 0.0);

    for (int64_t i = 0; out && i < osw_numel(x); i++) {
        double v = osw_get(x, i);

        if (v > high)
            v = high;
        if (v < low)
            v = low;
        osw_set(out, i, v);
    }
    return out ? 0 : OSW_ERROR;
}
