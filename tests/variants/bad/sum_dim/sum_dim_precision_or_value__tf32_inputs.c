/* sum_dim_precision_or_value__tf32_inputs.c - wrong: inputs lose 13 bits of
 * their mantissa, as in TF32. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float s = 0.0f;

    for (int64_t i = 0; i < n; i++)
        s += osw_f32_from_bits(osw_f32_bits(x[i]) & 0xffffe000u);
    return s;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
