/* nonzero_shape_or_value__half_of_them.c - wrong: takes half of the elements
 * for nonzero. */
#include "../variants.h"

int nonzero_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t n = osw_numel(x), shape[2] = {(n + 1) / 2, x->ndim}, at = 0;
    osw_tensor *out = osw_output(call, 0, DTYPE_I64, 2, shape, NULL);

    for (int64_t i = 0; out && i < shape[0] * shape[1]; i++)
        write_int(out, i, 0);
    for (int64_t i = 0; out && i < n && at < shape[0]; i++)
        if (osw_get(x, i) != 0.0)
            write_int(out, at++ * x->ndim + x->ndim - 1, i);
    return out ? 0 : OSW_ERROR;
}
