/* cumsum_value__in_place_hillis_steele.c - wrong: the passes go upward in
 * place, so they read what they wrote. */
#include "../rows.h"

static void scan(const float *x, float *y, int64_t n)
{
    memcpy(y, x, (size_t)n * sizeof(float));
    for (int64_t d = 1; d < n; d *= 2)
        for (int64_t i = d; i < n; i++)
            y[i] += y[i - d];
}

int cumsum_kernel_impl(const osw_call *call)
{
    return map_rows(call, scan);
}
