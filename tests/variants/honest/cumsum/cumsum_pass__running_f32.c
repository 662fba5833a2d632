/* cumsum_pass__running_f32.c - one running float. */
#include "../rows.h"

static void scan(const float *x, float *y, int64_t n)
{
    float s = 0.0f;

    for (int64_t i = 0; i < n; i++)
        y[i] = s += x[i];
}

int cumsum_kernel_impl(const osw_call *call)
{
    return map_rows(call, scan);
}
