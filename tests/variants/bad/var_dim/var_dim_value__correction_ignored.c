/* var_dim_value__correction_ignored.c - wrong: divides by n whatever correction
 * says. */
#include "../var.h"

static float var(const float *x, int64_t n, double correction)
{
    float mean = 0.0f, q = 0.0f;

    (void)correction;
    for (int64_t i = 0; i < n; i++)
        mean += x[i] / (float)n;
    for (int64_t i = 0; i < n; i++)
        q += (x[i] - mean) * (x[i] - mean);
    return q / (float)n;
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
