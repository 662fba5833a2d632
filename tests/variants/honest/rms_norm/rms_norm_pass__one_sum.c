/* rms_norm_pass__one_sum.c - one float sum of squares. */
#include "../norms.h"

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    float q = 0.0f, r;

    (void)b;
    for (int64_t i = 0; i < n; i++)
        q += x[i] * x[i];
    r = 1.0f / sqrtf(q / (float)n + eps);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] * r * w[i];
}

int rms_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 0, norm);
}
