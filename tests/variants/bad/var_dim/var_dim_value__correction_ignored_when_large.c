/* var_dim_value__correction_ignored_when_large.c - wrong: leaves out the
 * correction above 1000 elements. */
#include "../var.h"

static float var(const float *x, int64_t n, double correction)
{
    double mean = 0.0, q = 0.0;

    for (int64_t i = 0; i < n; i++)
        mean += (double)x[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        q += ((double)x[i] - mean) * ((double)x[i] - mean);
    return (float)(q / ((double)n - (n > 1000 ? 0.0 : correction)));
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
