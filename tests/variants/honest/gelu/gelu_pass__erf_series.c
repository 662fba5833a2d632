/* gelu_pass__erf_series.c - erf by its Taylor series near zero and erfc far
 * away, in double. */
#include "../gelu.h"

static double series_erf(double z)
{
    double term = z, sum = z;

    for (int k = 1; k < 60; k++) {
        term *= -z * z / k;
        sum += term / (2 * k + 1);
    }
    return sum * 1.1283791670955126;
}

static float gelu(float x)
{
    double z = (double)x * 0.70710678118654752;

    if (fabs(z) < 2.0)
        return (float)(0.5 * (double)x * (1.0 + series_erf(z)));
    return (float)(0.5 * (double)x * erfc(-z));
}

int gelu_kernel_impl(const osw_call *call)
{
    return map_gelu(call, gelu, gelu_tanh);
}
