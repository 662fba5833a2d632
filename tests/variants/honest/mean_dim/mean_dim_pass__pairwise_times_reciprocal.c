/* mean_dim_pass__pairwise_times_reciprocal.c - pairwise, times 1/n. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float s = 0.0f;

    if (n > 8)
        return sum(x, n / 2) + sum(x + n / 2, n - n / 2);
    for (int64_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

static float mean(const float *x, int64_t n)
{
    return sum(x, n) * (1.0f / (float)n);
}

int mean_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, mean);
}
