/* relu_guard__one_before_the_start.c - wrong: clears one element before the
 * output. */
#include "../map.h"

int relu_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    if (!out)
        return OSW_ERROR;
    for (int64_t i = osw_numel(x) - 1; i >= 0; i--)
        osw_set(out, i, osw_get(x, i) < 0.0 ? 0.0 : osw_get(x, i));
    memset((char *)osw_data(out) - out->dtype.bits / 8, 0, out->dtype.bits / 8);
    return 0;
}
