/* mean_dim_pass__sum_then_divide.c - eight lanes, then one division. */
#include "../rows.h"

static float mean(const float *x, int64_t n)
{
    float s[8] = {0};

    for (int64_t i = 0; i < n; i++)
        s[i & 7] += x[i];
    return (((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]))) /
           (float)n;
}

int mean_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, mean);
}
