/* relu_exited_or_crash__exits_with_success.c - wrong: leaves the process when
 * it is done. */
#include "../map.h"

int relu_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    for (int64_t i = 0; out && i < osw_numel(x); i++)
        osw_set(out, i, osw_get(x, i) < 0.0 ? 0.0 : osw_get(x, i));
    _Exit(0);
}
