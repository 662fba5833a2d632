/* ops/library/_log_softmax_backward_data/_log_softmax_backward_data_rows.c -
 * rows in float, over threads */
#include "../shared/softmax.h"

static void softmax_row(float *x, float *y, int64_t n)
{
    double sum = 0.0;
    float all;

#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    all = (float)sum;
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        x[i] -= osw_vecmath_exp(y[i]) * all;
}

int _log_softmax_backward_data_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {0};
    int rc = osw_softmax_open_backward(call, &s);

    return rc ? rc : osw_softmax_rows(call, &s, softmax_row);
}
