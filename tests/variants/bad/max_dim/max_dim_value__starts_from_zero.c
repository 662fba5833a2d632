/* max_dim_value__starts_from_zero.c - wrong: rows of negative numbers keep the
 * start value 0. */
#include "../max_dim.h"

static int64_t where(const float *x, int64_t n)
{
    float top = 0.0f;
    int64_t best = 0;

    for (int64_t i = 0; i < n; i++) {
        if (x[i] != x[i])
            return i;
        if (x[i] > top) {
            top = x[i];
            best = i;
        }
    }
    return best;
}

int max_dim_kernel_impl(const osw_call *call)
{
    return max_rows(call, where);
}
