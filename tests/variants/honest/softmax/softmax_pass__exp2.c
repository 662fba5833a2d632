/* softmax_pass__exp2.c - exp2 of a difference that was scaled by log2(e) in one
 * fused step. */
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += y[i] = exp2f((x[i] - max) * 1.44269504f);
    for (int64_t i = 0; i < n; i++)
        y[i] /= sum;
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
