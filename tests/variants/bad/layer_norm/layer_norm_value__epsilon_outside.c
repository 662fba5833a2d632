/* layer_norm_value__epsilon_outside.c - wrong: eps is added to the root. */
#include "../norms.h"

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    float mean = 0.0f, var = 0.0f, rstd;

    for (int64_t i = 0; i < n; i++)
        mean += x[i];
    mean /= (float)n;
    for (int64_t i = 0; i < n; i++)
        var += (x[i] - mean) * (x[i] - mean);
    rstd = 1.0f / (sqrtf(var / (float)n) + eps);
    for (int64_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * rstd * w[i] + b[i];
}

int layer_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 1, norm);
}
