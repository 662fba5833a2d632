/* max_dim_value__ties_to_the_last.c - wrong: >= takes the last of equal
 * elements. */
#include "../max_dim.h"

static int64_t where(const float *x, int64_t n)
{
    int64_t best = 0;

    for (int64_t i = 0; i < n; i++) {
        if (x[i] != x[i])
            return i;
        if (x[i] >= x[best])
            best = i;
    }
    return best;
}

int max_dim_kernel_impl(const osw_call *call)
{
    return max_rows(call, where);
}
