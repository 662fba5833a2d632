/* sum_dim_pass__backwards.c - from right to left. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float s = 0.0f;

    while (n-- > 0)
        s += x[n];
    return s;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
