/* cumsum_value__carry_lost_at_1024.c - wrong: the carry into the block after
 * 1024 elements is forgotten. */
#include "../rows.h"

static void scan(const float *x, float *y, int64_t n)
{
    float s = 0.0f;

    for (int64_t i = 0; i < n; i++) {
        if (i == 1024)
            s = 0.0f;
        y[i] = s += x[i];
    }
}

int cumsum_kernel_impl(const osw_call *call)
{
    return map_rows(call, scan);
}
