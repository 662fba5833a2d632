/* sum_dim_precision_or_value__f16_lanes.c - wrong: 32 f16 lanes, as half2
 * kernels do; only the fold is in float. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    uint16_t s[32] = {0};
    float t = 0.0f;

    for (int64_t i = 0; i < n; i++)
        s[i % 32] = osw_f32_to_f16(osw_f16_to_f32(s[i % 32]) + x[i]);
    for (int l = 0; l < 32; l++)
        t += osw_f16_to_f32(s[l]);
    return t;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
