/* relu_guard__workspace_overrun.c - wrong: goes through a workspace that is one
 * element too small. */
#include "../map.h"

int relu_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);
    int64_t n = osw_numel(x);
    double *w = osw_workspace(call, (size_t)n * 8);

    if (!out || !w)
        return OSW_ERROR;
    for (int64_t i = 0; i <= n; i++)
        w[i] = i < n ? osw_get(x, i) : 0.0;
    for (int64_t i = 0; i < n; i++)
        osw_set(out, i, w[i] < 0.0 ? 0.0 : w[i]);
    return 0;
}
