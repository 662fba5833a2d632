/* _safe_softmax - rows in float, over threads; one of nothing but -inf is 0 */
#include "../shared/softmax.h"

static void safe_row(float *x, float *y, int64_t n)
{
    float max = -INFINITY;
    double sum = 0.0;
    float scale;

    (void)y;
#pragma omp simd reduction(max : max)
    for (int64_t i = 0; i < n; i++)
        max = x[i] > max ? x[i] : max;
    max = max == -INFINITY ? 0.0f : max;
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        x[i] = osw_vecmath_exp(x[i] - max);
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    scale = sum == 0.0 ? 0.0f : (float)(1.0 / sum);
    for (int64_t i = 0; i < n; i++)
        x[i] *= scale;
}

int _safe_softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {0};
    int rc = osw_softmax_open_safe(call, &s);

    return rc ? rc : osw_softmax_rows(call, &s, safe_row);
}
