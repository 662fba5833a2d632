/* neg_pass__sign_bit.c - flips the sign bit of floats; integers wrap around. */
#include "../variants.h"

int neg_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    for (int64_t i = 0; out && i < osw_numel(x); i++)
        if (x->dtype.code == OSW_INT)
            write_int(out, i, (int64_t)(0u - (uint64_t)osw_get_int(x, i)));
        else
            osw_set(out, i, -osw_get(x, i));
    return out ? 0 : OSW_ERROR;
}
