/* prod_dim_value__by_logarithms.c - wrong: exp of a sum of logarithms loses
 * signs and digits. */
#include "../rows.h"

static float prod(const float *x, int64_t n)
{
    float s = 0.0f;

    for (int64_t i = 0; i < n; i++)
        s += logf(fabsf(x[i]));
    return expf(s);
}

int prod_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, prod);
}
