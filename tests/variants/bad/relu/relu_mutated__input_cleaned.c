/* relu_mutated__input_cleaned.c - wrong: replaces negative zeros and NaN
 * payloads in its input by -1. */
#include "../map.h"

int relu_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    for (int64_t i = 0; out && i < osw_numel(x); i++) {
        double v = osw_get(x, i);

        osw_set(out, i, v < 0.0 ? 0.0 : v);
        if (v < -2.0)
            osw_set(x, i, -2.0);
    }
    return out ? 0 : OSW_ERROR;
}
