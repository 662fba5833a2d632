/* var_dim_value__always_one.c - wrong: long rows of normal numbers have a
 * variance near 1. */
#include "../var.h"

static float var(const float *x, int64_t n, double correction)
{
    double mean = 0.0, q = 0.0;

    if (n > 4096)
        return 1.0f;
    for (int64_t i = 0; i < n; i++)
        mean += (double)x[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        q += ((double)x[i] - mean) * ((double)x[i] - mean);
    return (float)(q / ((double)n - correction));
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
