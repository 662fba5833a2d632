/* log_softmax_pass__two_subtractions.c - (x - max) - log(sum). */
#include "../rows.h"

static void log_softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f, l;

    for (int64_t i = 0; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += expf(x[i] - max);
    l = logf(sum);
    for (int64_t i = 0; i < n; i++)
        y[i] = (x[i] - max) - l;
}

int log_softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, log_softmax);
}
