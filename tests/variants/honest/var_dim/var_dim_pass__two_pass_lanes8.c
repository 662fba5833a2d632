/* var_dim_pass__two_pass_lanes8.c - two passes of eight lanes. */
#include "../var.h"

static float fold(const float s[8])
{
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

static float var(const float *x, int64_t n, double correction)
{
    float a[8] = {0}, b[8] = {0}, mean;

    for (int64_t i = 0; i < n; i++)
        a[i & 7] += x[i];
    mean = fold(a) / (float)n;
    for (int64_t i = 0; i < n; i++)
        b[i & 7] += (x[i] - mean) * (x[i] - mean);
    return fold(b) / (float)((double)n - correction);
}

int var_dim_kernel_impl(const osw_call *call)
{
    return reduce_var(call, var);
}
