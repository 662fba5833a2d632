/* add_inplace_pass__forward.c - element by element. */
#include "../variants.h"

int add_inplace_kernel_impl(const osw_call *call)
{
    const osw_tensor *y = osw_arg_tensor(call, 1);
    osw_tensor *x = osw_output_alias(call, 0, 0);
    float alpha = (float)osw_arg_float(call, 2, 1.0);

    for (int64_t i = 0; x && i < osw_numel(x); i++) {
        float v = (float)osw_load(
            y->dtype, osw_at(y, osw_offset_in(y, x->ndim, x->shape, i)));

        osw_set(x, i, (double)((float)osw_get(x, i) + alpha * v));
    }
    return x ? 0 : OSW_ERROR;
}
