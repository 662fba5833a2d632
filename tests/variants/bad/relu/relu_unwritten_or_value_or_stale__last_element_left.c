/* relu_unwritten_or_value_or_stale__last_element_left.c - wrong: the last
 * element of sizes above 1000 is left as it was. */
#include "../map.h"

int relu_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);
    int64_t n = osw_numel(x);

    for (int64_t i = 0; out && i < n - (n > 1000); i++)
        osw_set(out, i, osw_get(x, i) < 0.0 ? 0.0 : osw_get(x, i));
    return out ? 0 : OSW_ERROR;
}
