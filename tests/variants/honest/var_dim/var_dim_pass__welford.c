/* var_dim_pass__welford.c - welford's one pass. */
#include "../var.h"

static float var(const float *x, int64_t n, double correction)
{
    float mean = 0.0f, m2 = 0.0f;

    for (int64_t i = 0; i < n; i++) {
        float d = x[i] - mean;

        mean += d / (float)(i + 1);
        m2 += d * (x[i] - mean);
    }
    return m2 / (float)((double)n - correction);
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
