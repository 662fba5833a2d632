/* rms_norm_value__epsilon_outside.c - wrong: eps after the root. */
#include "../norms.h"

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    float q = 0.0f;

    (void)b;
    for (int64_t i = 0; i < n; i++)
        q += x[i] * x[i];
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] / (sqrtf(q / (float)n) + eps) * w[i];
}

int rms_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 0, norm);
}
