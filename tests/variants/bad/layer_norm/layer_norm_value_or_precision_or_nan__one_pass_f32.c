/* layer_norm_value_or_precision_or_nan__one_pass_f32.c - wrong: E(x^2) - E(x)^2
 * in float. */
#include "../norms.h"

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    float s = 0.0f, q = 0.0f, mean, rstd;

    for (int64_t i = 0; i < n; i++) {
        s += x[i];
        q += x[i] * x[i];
    }
    mean = s / (float)n;
    rstd = 1.0f / sqrtf(fmaxf(q / (float)n - mean * mean, 0.0f) + eps);
    for (int64_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * rstd * w[i] + b[i];
}

int layer_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 1, norm);
}
