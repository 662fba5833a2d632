/* sum_dim_pass__pairwise.c - halves are summed and added. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    if (n < 2)
        return n ? x[0] : 0.0f;
    return sum(x, n / 2) + sum(x + n / 2, n - n / 2);
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
