/* layer_norm_pass__lanes16_fma.c - sixteen lanes and fused multiply-adds. */
#include "../norms.h"

static float fold(float *s)
{
    for (int w = 8; w; w /= 2)
        for (int l = 0; l < w; l++)
            s[l] += s[l + w];
    return s[0];
}

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    float s[16] = {0}, q[16] = {0}, mean, rstd;

    for (int64_t i = 0; i < n; i++)
        s[i & 15] += x[i];
    mean = fold(s) / (float)n;
    for (int64_t i = 0; i < n; i++)
        q[i & 15] = fmaf(x[i] - mean, x[i] - mean, q[i & 15]);
    rstd = 1.0f / sqrtf(fold(q) / (float)n + eps);
    for (int64_t i = 0; i < n; i++)
        y[i] = fmaf((x[i] - mean) * rstd, w[i], b[i]);
}

int layer_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 1, norm);
}
