/* layer_norm_value_or_precision__rough_rsqrt.c - wrong: the bit trick with a
 * single Newton step, 0.17 % off. */
#include "../norms.h"

static float rough_rsqrt(float v)
{
    float y = osw_f32_from_bits(0x5f3759dfu - (osw_f32_bits(v) >> 1));

    return y * (1.5f - 0.5f * v * y * y);
}

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    float mean = 0.0f, var = 0.0f, rstd;

    for (int64_t i = 0; i < n; i++)
        mean += x[i];
    mean /= (float)n;
    for (int64_t i = 0; i < n; i++)
        var += (x[i] - mean) * (x[i] - mean);
    rstd = rough_rsqrt(var / (float)n + eps);
    for (int64_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * rstd * w[i] + b[i];
}

int layer_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 1, norm);
}
