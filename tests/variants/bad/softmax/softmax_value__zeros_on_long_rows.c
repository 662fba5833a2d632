/* softmax_value__zeros_on_long_rows.c - wrong: probabilities below 1e-5 of long
 * rows are called zero. */
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += y[i] = expf(x[i] - max);
    for (int64_t i = 0; i < n; i++)
        y[i] = y[i] / sum < 1e-5f ? 0.0f : y[i] / sum;
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
