/* sum_dim_pass__blocks128.c - blocks of 128 are summed, then their sums. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float s = 0.0f;

    for (int64_t b = 0; b < n; b += 128) {
        float part = 0.0f;

        for (int64_t i = b; i < n && i < b + 128; i++)
            part += x[i];
        s += part;
    }
    return s;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
