/* round_even_value__half_up.c - wrong: floor(x + 0.5). */
#include "../map.h"

int round_even_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    for (int64_t i = 0; out && i < osw_numel(x); i++)
        osw_set(out, i,
                floor(osw_get(x, i) * osw_arg_float(call, 1, 1.0) + 0.5));
    return out ? 0 : OSW_ERROR;
}
