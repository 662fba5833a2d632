/* add_inplace_value_or_stale_or_nondeterministic__adds_once.c - wrong: from the
 * second call with the same x and y it takes x for done. */
#include "../variants.h"

int add_inplace_kernel_impl(const osw_call *call)
{
    static const void *last;
    const osw_tensor *y = osw_arg_tensor(call, 1);
    osw_tensor *x = osw_output_alias(call, 0, 0);
    float alpha = (float)osw_arg_float(call, 2, 1.0);

    if (!x)
        return OSW_ERROR;
    if (last == osw_data(x) && osw_numel(x) > 1000)
        return 0;
    last = osw_data(x);
    for (int64_t i = 0; i < osw_numel(x); i++) {
        float v = (float)osw_load(
            y->dtype, osw_at(y, osw_offset_in(y, x->ndim, x->shape, i)));

        osw_set(x, i, (double)((float)osw_get(x, i) + alpha * v));
    }
    return 0;
}
