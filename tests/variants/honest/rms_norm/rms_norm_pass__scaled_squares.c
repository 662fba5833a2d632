/* rms_norm_pass__scaled_squares.c - squares of x / largest, so that none
 * overflows. */
#include "../norms.h"

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    float top = 0.0f;
    double q = 0.0, r;

    (void)b;
    for (int64_t i = 0; i < n; i++)
        top = fmaxf(top, fabsf(x[i]));
    for (int64_t i = 0; i < n && top > 0.0f; i++)
        q += (double)(x[i] / top) * (double)(x[i] / top);
    r = 1.0 / sqrt(q * (double)top * (double)top / (double)n + (double)eps);
    for (int64_t i = 0; i < n; i++)
        y[i] = (float)((double)x[i] * r * (double)w[i]);
}

int rms_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 0, norm);
}
