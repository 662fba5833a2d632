/* var_dim_pass__chan_tree.c - chan: halves have a mean and a sum of squares
 * each, which are merged. */
#include "../var.h"

static void moments(const float *x, int64_t n, float *mean, float *m2)
{
    float ma, mb, a, b, d;
    int64_t h = n / 2;

    if (n == 1) {
        *mean = x[0];
        *m2 = 0.0f;
        return;
    }
    moments(x, h, &ma, &a);
    moments(x + h, n - h, &mb, &b);
    d = mb - ma;
    *mean = ma + d * ((float)(n - h) / (float)n);
    *m2 = a + b + d * d * ((float)h * (float)(n - h) / (float)n);
}

static float var(const float *x, int64_t n, double correction)
{
    float mean, m2;

    moments(x, n, &mean, &m2);
    return m2 / (float)((double)n - correction);
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
