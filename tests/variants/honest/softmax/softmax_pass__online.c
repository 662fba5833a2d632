/* softmax_pass__online.c - online: the sum is scaled whenever the maximum
 * grows. */
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f;

    for (int64_t i = 0; i < n; i++) {
        if (x[i] > max) {
            sum *= expf(max - x[i]);
            max = x[i];
        }
        sum += expf(x[i] - max);
    }
    for (int64_t i = 0; i < n; i++)
        y[i] = expf(x[i] - max) / sum;
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
