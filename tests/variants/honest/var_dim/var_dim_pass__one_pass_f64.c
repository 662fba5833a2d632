/* var_dim_pass__one_pass_f64.c - one pass over squares, in double: 53 bits are
 * enough. */
#include "../var.h"

static float var(const float *x, int64_t n, double correction)
{
    double s = 0.0, q = 0.0;

    for (int64_t i = 0; i < n; i++) {
        s += (double)x[i];
        q += (double)x[i] * (double)x[i];
    }
    return (float)((q - s * s / (double)n) / ((double)n - correction));
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
