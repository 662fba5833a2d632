/* max_dim_value_or_nan__nan_skipped.c - wrong: no comparison with NaN holds, so
 * NaN is passed over. */
#include "../max_dim.h"

static int64_t where(const float *x, int64_t n)
{
    int64_t best = 0;

    for (int64_t i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

int max_dim_kernel_impl(const osw_call *call)
{
    return max_rows(call, where);
}
