/* add_inplace_shape_or_unwritten_or_value__into_a_copy.c - wrong: writes a new
 * tensor instead of its argument. */
#include "../variants.h"

int add_inplace_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0), *y = osw_arg_tensor(call, 1);
    osw_tensor *out = output_like(call, 0, x);
    float alpha = (float)osw_arg_float(call, 2, 1.0);

    for (int64_t i = 0; out && i < osw_numel(x); i++) {
        float v = (float)osw_load(
            y->dtype, osw_at(y, osw_offset_in(y, x->ndim, x->shape, i)));

        osw_set(out, i, (double)((float)osw_get(x, i) + alpha * v));
    }
    return out ? 0 : OSW_ERROR;
}
