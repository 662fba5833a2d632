/* relu_unwritten_or_value__positive_only.c - wrong: writes where x is positive,
 * and hopes for zeros elsewhere. */
#include "../map.h"

int relu_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    for (int64_t i = 0; out && i < osw_numel(x); i++)
        if (!(osw_get(x, i) <= 0.0))
            osw_set(out, i, osw_get(x, i));
    return out ? 0 : OSW_ERROR;
}
