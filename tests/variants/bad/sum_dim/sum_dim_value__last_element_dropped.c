/* sum_dim_value__last_element_dropped.c - wrong: the loop ends one element
 * early when the row is odd. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float a = 0.0f, b = 0.0f;

    for (int64_t i = 0; i + 1 < n; i += 2) {
        a += x[i];
        b += x[i + 1];
    }
    return a + b;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
