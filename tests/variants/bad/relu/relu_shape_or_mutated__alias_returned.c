/* relu_shape_or_mutated__alias_returned.c - wrong: works in its input, and says
 * that this is the output. */
#include "../map.h"

int relu_kernel_impl(const osw_call *call)
{
    osw_tensor *x = osw_output_alias(call, 0, 0);

    for (int64_t i = 0; x && i < osw_numel(x); i++)
        if (osw_get(x, i) < 0.0)
            osw_set(x, i, 0.0);
    return x ? 0 : OSW_ERROR;
}
