/* var_dim_pass__corrected_two_pass.c - two passes; the mean's rounding is taken
 * out of the second. */
#include "../var.h"

static float var(const float *x, int64_t n, double correction)
{
    float mean = 0.0f, q = 0.0f, c = 0.0f;

    for (int64_t i = 0; i < n; i++)
        mean += x[i];
    mean /= (float)n;
    for (int64_t i = 0; i < n; i++) {
        q += (x[i] - mean) * (x[i] - mean);
        c += x[i] - mean;
    }
    return (q - c * c / (float)n) / (float)((double)n - correction);
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
