/* var_dim_value_or_precision__mean_in_bf16.c - wrong: the mean is rounded to
 * bf16 between the passes. */
#include "../var.h"

static float var(const float *x, int64_t n, double correction)
{
    float mean = 0.0f, q = 0.0f;

    for (int64_t i = 0; i < n; i++)
        mean += x[i];
    mean = osw_bf16_to_f32(osw_f32_to_bf16(mean / (float)n));
    for (int64_t i = 0; i < n; i++)
        q += (x[i] - mean) * (x[i] - mean);
    return q / (float)((double)n - correction);
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
