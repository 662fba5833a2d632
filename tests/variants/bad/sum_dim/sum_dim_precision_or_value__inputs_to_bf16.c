/* sum_dim_precision_or_value__inputs_to_bf16.c - wrong: inputs are cut to bf16
 * before they are summed in float. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float s = 0.0f;

    for (int64_t i = 0; i < n; i++)
        s += osw_bf16_to_f32(osw_f32_to_bf16(x[i]));
    return s;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
