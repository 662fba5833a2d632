/* softmax_pass__three_passes.c - maximum, exponentials and their sum, division.
 */
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += y[i] = expf(x[i] - max);
    for (int64_t i = 0; i < n; i++)
        y[i] /= sum;
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
