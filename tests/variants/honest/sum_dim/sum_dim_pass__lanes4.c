/* sum_dim_pass__lanes4.c - four accumulators, as an SSE register has. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float s[4] = {0};
    int64_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++)
            s[l] += x[i + l];
    for (; i < n; i++)
        s[0] += x[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
