/* sum_dim_precision_or_value__f16_accumulator.c - wrong: the accumulator is an
 * f16. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    uint16_t s = 0;

    for (int64_t i = 0; i < n; i++)
        s = osw_f32_to_f16(osw_f16_to_f32(s) + x[i]);
    return osw_f16_to_f32(s);
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
