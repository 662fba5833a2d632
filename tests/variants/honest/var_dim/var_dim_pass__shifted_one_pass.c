/* var_dim_pass__shifted_one_pass.c - one pass over distances from the first
 * element. */
#include "../var.h"

static float var(const float *x, int64_t n, double correction)
{
    float s = 0.0f, q = 0.0f, k = x[0];

    for (int64_t i = 0; i < n; i++) {
        s += x[i] - k;
        q += (x[i] - k) * (x[i] - k);
    }
    return (q - s * s / (float)n) / (float)((double)n - correction);
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
