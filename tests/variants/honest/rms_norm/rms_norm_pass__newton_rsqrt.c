/* rms_norm_pass__newton_rsqrt.c - a bit-trick start and four Newton steps,
 * which reach full precision. */
#include "../norms.h"

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    float q[8] = {0}, v, r;

    (void)b;
    for (int64_t i = 0; i < n; i++)
        q[i & 7] += x[i] * x[i];
    v = (((q[0] + q[1]) + (q[2] + q[3])) + ((q[4] + q[5]) + (q[6] + q[7]))) /
            (float)n +
        eps;
    r = osw_f32_from_bits(0x5f3759dfu - (osw_f32_bits(v) >> 1));
    for (int step = 0; step < 4; step++)
        r = r + r * (0.5f - 0.5f * v * r * r);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] * r * w[i];
}

int rms_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 0, norm);
}
