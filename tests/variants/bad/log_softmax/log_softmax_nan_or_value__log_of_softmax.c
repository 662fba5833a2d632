/* log_softmax_nan_or_value__log_of_softmax.c - wrong: log of a quotient that
 * underflows and loses digits. */
#include "../rows.h"

static void log_softmax(const float *x, float *y, int64_t n)
{
    float sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        sum += y[i] = expf(x[i]);
    for (int64_t i = 0; i < n; i++)
        y[i] = logf(y[i] / sum);
}

int log_softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, log_softmax);
}
