/* round_even_pass__magic_number.c - 1.5 * 2^52 pushes the fraction out of a
 * double. */
#include "../map.h"

int round_even_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    for (int64_t i = 0; out && i < osw_numel(x); i++) {
        volatile double v = osw_get(x, i) * osw_arg_float(call, 1, 1.0);

        if (fabs(v) < 4503599627370496.0) {
            v += 6755399441055744.0;
            v -= 6755399441055744.0;
        }
        osw_set(out, i, v);
    }
    return out ? 0 : OSW_ERROR;
}
