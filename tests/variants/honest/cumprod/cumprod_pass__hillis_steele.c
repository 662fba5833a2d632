/* cumprod_pass__hillis_steele.c - log2(n) passes. */
#include "../rows.h"

static void scan(const float *x, float *y, int64_t n)
{
    memcpy(y, x, (size_t)n * 4);
    for (int64_t d = 1; d < n; d *= 2)
        for (int64_t i = n - 1; i >= d; i--)
            y[i] *= y[i - d];
}

int cumprod_kernel_impl(const osw_call *call)
{
    return map_rows(call, scan);
}
