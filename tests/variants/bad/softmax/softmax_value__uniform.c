/* softmax_value__uniform.c - wrong: long rows become 1/n, which is nearly right
 * in absolute terms. */
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += y[i] = expf(x[i] - max);
    for (int64_t i = 0; i < n; i++)
        y[i] = n > 4096 ? 1.0f / (float)n : y[i] / sum;
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
