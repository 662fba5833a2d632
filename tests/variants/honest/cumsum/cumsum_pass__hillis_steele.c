/* cumsum_pass__hillis_steele.c - hillis and Steele: log2(n) passes over
 * distances of 1, 2, 4, ... */
#include "../rows.h"

static void scan(const float *x, float *y, int64_t n)
{
    memcpy(y, x, (size_t)n * sizeof(float));
    for (int64_t d = 1; d < n; d *= 2)
        for (int64_t i = n - 1; i >= d; i--)
            y[i] += y[i - d];
}

int cumsum_kernel_impl(const osw_call *call)
{
    return map_rows(call, scan);
}
