/* var_dim_value_or_precision_or_nan__one_pass.c - wrong: mean of squares minus
 * square of the mean, in float. */
#include "../var.h"

static float var(const float *x, int64_t n, double correction)
{
    float s = 0.0f, q = 0.0f;

    for (int64_t i = 0; i < n; i++) {
        s += x[i];
        q += x[i] * x[i];
    }
    return (q - s * s / (float)n) / (float)((double)n - correction);
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
