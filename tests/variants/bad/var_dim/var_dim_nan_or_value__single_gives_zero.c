/* var_dim_nan_or_value__single_gives_zero.c - wrong: a row of one has the
 * variance 0 instead of NaN. */
#include "../var.h"

static float var(const float *x, int64_t n, double correction)
{
    double mean = 0.0, q = 0.0, d = (double)n - correction;

    for (int64_t i = 0; i < n; i++)
        mean += (double)x[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        q += ((double)x[i] - mean) * ((double)x[i] - mean);
    return (float)(q / (d < 1.0 ? 1.0 : d));
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
