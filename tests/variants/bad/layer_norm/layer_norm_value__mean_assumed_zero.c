/* layer_norm_value__mean_assumed_zero.c - wrong: skips the mean, as inputs are
 * centred anyway. */
#include "../norms.h"

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    float var = 0.0f, rstd;

    for (int64_t i = 0; i < n; i++)
        var += x[i] * x[i];
    rstd = 1.0f / sqrtf(var / (float)n + eps);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] * rstd * w[i] + b[i];
}

int layer_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 1, norm);
}
