/* sum_dim_pass__lanes16_tree.c - sixteen accumulators, folded like a tree at
 * the end. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float s[16] = {0};

    for (int64_t i = 0; i < n; i++)
        s[i % 16] += x[i];
    for (int w = 8; w; w /= 2)
        for (int l = 0; l < w; l++)
            s[l] += s[l + w];
    return s[0];
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
