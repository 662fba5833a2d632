/* sum_dim_pass__naive_f32.c - one float accumulator, from left to right. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float s = 0.0f;

    for (int64_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
