/* max_dim_pass__lanes.c - four lanes keep places of their own; the earliest of
 * the largest wins. */
#include "../max_dim.h"

static int better(const float *x, int64_t a, int64_t b)
{
    if (x[a] != x[a] || x[b] != x[b])
        return x[a] != x[a] && (x[b] == x[b] || a < b);
    return x[a] > x[b] || (x[a] == x[b] && a < b);
}

static int64_t where(const float *x, int64_t n)
{
    int64_t best[4] = {0}, b = 0;

    for (int64_t i = 0; i < n; i++)
        if (better(x, i, best[i % 4]))
            best[i % 4] = i;
    for (int l = 0; l < 4; l++)
        if (better(x, best[l], b))
            b = best[l];
    return b;
}

int max_dim_kernel_impl(const osw_call *call)
{
    return max_rows(call, where);
}
