/* softmax_value__small_ones_flushed.c - wrong: results below 1e-5 become 0. */
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        max = x[i] > max ? x[i] : max;
    for (int64_t i = 0; i < n; i++)
        sum += y[i] = expf(x[i] - max);
    for (int64_t i = 0; i < n; i++) {
        y[i] /= sum;
        if (y[i] < 1e-5f)
            y[i] = 0.0f;
    }
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
