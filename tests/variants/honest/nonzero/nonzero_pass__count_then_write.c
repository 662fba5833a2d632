/* nonzero_pass__count_then_write.c - two passes: count, then write. */
#include "../variants.h"

int nonzero_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[2] = {0, x->ndim}, at = 0;
    osw_tensor *out;

    for (int64_t i = 0; i < osw_numel(x); i++)
        shape[0] += osw_get(x, i) != 0.0;
    out = osw_output(call, 0, DTYPE_I64, 2, shape, NULL);
    for (int64_t i = 0; out && i < osw_numel(x); i++) {
        int64_t rest = i;

        if (osw_get(x, i) == 0.0)
            continue;
        for (int d = x->ndim - 1; d >= 0; d--) {
            write_int(out, at * x->ndim + d, rest % x->shape[d]);
            rest /= x->shape[d];
        }
        at++;
    }
    return out ? 0 : OSW_ERROR;
}
