/* softmax_nan_or_value__max_not_subtracted.c - wrong: exp overflows above 88.
 */
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        sum += y[i] = expf(x[i]);
    for (int64_t i = 0; i < n; i++)
        y[i] /= sum;
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
