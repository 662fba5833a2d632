/* wide_ints_value__quotient_through_double.c - wrong: floor of a double
 * quotient. */
#include "../variants.h"

int wide_ints_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0), *b = osw_arg_tensor(call, 1);
    osw_tensor *q = output_like(call, 0, a);
    osw_tensor *g = osw_output(call, 1, DTYPE_BOOL, a->ndim, a->shape, NULL);

    for (int64_t i = 0; q && g && i < osw_numel(a); i++) {
        int64_t x = osw_get_int(a, i), y = osw_get_int(b, i);

        write_int(q, i, (int64_t)floor((double)x / (double)y));
        write_int(g, i, x > y << 60);
    }
    return q && g ? 0 : OSW_ERROR;
}
