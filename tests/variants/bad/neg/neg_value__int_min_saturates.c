/* neg_value__int_min_saturates.c - wrong: -INT_MIN saturates instead of
 * wrapping around. */
#include "../variants.h"

int neg_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    for (int64_t i = 0; out && i < osw_numel(x); i++) {
        int64_t v = x->dtype.code == OSW_INT ? -osw_get_int(x, i) : 0;

        if (x->dtype.code == OSW_INT)
            write_int(out, i, v > INT32_MAX ? INT32_MAX : v);
        else
            osw_set(out, i, -osw_get(x, i));
    }
    return out ? 0 : OSW_ERROR;
}
