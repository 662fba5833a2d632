/* mean_dim_value_or_nan__n_minus_one.c - wrong: divides by n - 1. */
#include "../rows.h"

static float mean(const float *x, int64_t n)
{
    float s = 0.0f;

    for (int64_t i = 0; i < n; i++)
        s += x[i];
    return s / (float)(n > 1 ? n - 1 : 1);
}

int mean_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, mean);
}
