/* tanh_op_pass__continued_fraction.c - lambert's continued fraction near zero,
 * exp elsewhere, in double. */
#include "../map.h"

static double lambert(double x)
{
    double f = 0.0;

    if (x == 0.0 || x != x)
        return x;
    if (fabs(x) > 1.0)
        return copysign(1.0 - 2.0 / (exp(2.0 * fabs(x)) + 1.0), x);
    for (int k = 21; k >= 1; k -= 2)
        f = x * x / (k + f);
    return f / x;
}

static double safe(double x)
{
    return fabs(x) < 1e-8 ? x : lambert(x);
}

int tanh_op_kernel_impl(const osw_call *call)
{
    return map_doubles(call, safe);
}
