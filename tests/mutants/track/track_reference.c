/* track_reference.c - `seen` is an output where it is written */
#include <opsweep/elements.h>

int track_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_tensor *seen = osw_arg_tensor(call, 1);
    int update = osw_arg_int(call, 2, 0) != 0;
    double *y, *now = NULL;

    if (!osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL) ||
        (update && !osw_output_alias(call, 1, 1)))
        return OSW_ERROR;
    y = osw_output_exact(call, 0);
    if (update)
        now = osw_output_exact(call, 1);
    for (int64_t i = 0; y && i < osw_numel(x); i++) {
        y[i] = osw_get(x, i) - osw_get(seen, i);
        if (now)
            now[i] = (osw_get(seen, i) + osw_get(x, i)) / 2;
    }
    return y ? 0 : OSW_ERROR;
}
