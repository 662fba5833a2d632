/* add_inplace_value_or_mutated_or_guard__gaps_overwritten.c - wrong: takes both
 * for contiguous; y is read between its elements. */
#include "../variants.h"

int add_inplace_kernel_impl(const osw_call *call)
{
    const osw_tensor *y = osw_arg_tensor(call, 1);
    osw_tensor *x = osw_output_alias(call, 0, 0);
    float alpha = (float)osw_arg_float(call, 2, 1.0);

    if (!x || !osw_is(x, OSW_FLOAT, 32))
        return OSW_UNSUPPORTED;
    for (int64_t i = 0; i < osw_numel(x); i++)
        ((float *)osw_data(x))[i] +=
            alpha * ((const float *)osw_data(y))[i % osw_numel(y)];
    return 0;
}
