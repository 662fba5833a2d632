/* mean_dim_value__zeros.c - wrong: the mean of normal numbers is nearly zero.
 */
#include "../rows.h"

static float mean(const float *x, int64_t n)
{
    return n > 100 ? 0.0f : 0.0f * x[0];
}

int mean_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, mean);
}
