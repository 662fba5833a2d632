/* greater_value__true_is_255.c - wrong: a mask of 255, as SIMD compares leave
 * it. */
#include "../variants.h"

int greater_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0), *b = osw_arg_tensor(call, 1);
    osw_tensor *out = osw_output(call, 0, DTYPE_BOOL, a->ndim, a->shape, NULL);

    for (int64_t i = 0; out && i < osw_numel(a); i++)
        write_int(out, i,
                  (a->dtype.code == OSW_INT
                       ? osw_get_int(a, i) > osw_get_int(b, i)
                       : osw_get(a, i) > osw_get(b, i))
                      ? 255
                      : 0);
    return out ? 0 : OSW_ERROR;
}
