/* layer_norm_pass__welford.c - welford in float. */
#include "../norms.h"

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    float mean = 0.0f, m2 = 0.0f, rstd;

    for (int64_t i = 0; i < n; i++) {
        float d = x[i] - mean;

        mean += d / (float)(i + 1);
        m2 += d * (x[i] - mean);
    }
    rstd = 1.0f / sqrtf(m2 / (float)n + eps);
    for (int64_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * rstd * w[i] + b[i];
}

int layer_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 1, norm);
}
