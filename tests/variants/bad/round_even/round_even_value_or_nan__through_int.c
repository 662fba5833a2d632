/* round_even_value_or_nan__through_int.c - wrong: lrint of what does not fit an
 * int64. */
#include "../map.h"

int round_even_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    for (int64_t i = 0; out && i < osw_numel(x); i++)
        osw_set(out, i,
                (double)lrint(osw_get(x, i) * osw_arg_float(call, 1, 1.0)));
    return out ? 0 : OSW_ERROR;
}
