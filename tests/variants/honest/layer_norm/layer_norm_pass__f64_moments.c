/* layer_norm_pass__f64_moments.c - sums and squares in double, one pass; float
 * outside. */
#include "../norms.h"

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    double s = 0.0, q = 0.0, mean, rstd;

    for (int64_t i = 0; i < n; i++) {
        s += (double)x[i];
        q += (double)x[i] * (double)x[i];
    }
    mean = s / (double)n;
    rstd = 1.0 / sqrt(fmax(q / (double)n - mean * mean, 0.0) + (double)eps);
    for (int64_t i = 0; i < n; i++)
        y[i] = (float)(((double)x[i] - mean) * rstd) * w[i] + b[i];
}

int layer_norm_kernel_impl(const osw_call *call)
{
    return map_norm(call, 1, norm);
}
