/* softmax_value_or_nan__shifted_by_the_mean.c - wrong: the mean is subtracted,
 * so outliers overflow. */
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float mean = 0.0f, sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        mean += x[i] / (float)n;
    for (int64_t i = 0; i < n; i++)
        sum += y[i] = expf(x[i] - mean);
    for (int64_t i = 0; i < n; i++)
        y[i] /= sum;
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
