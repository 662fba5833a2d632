/* prod_dim_value__empty_is_zero.c - wrong: the product of nothing is 1, not 0.
 */
#include "../rows.h"

static float prod(const float *x, int64_t n)
{
    float p = n ? x[0] : 0.0f;

    for (int64_t i = 1; i < n; i++)
        p *= x[i];
    return p;
}

int prod_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, prod);
}
