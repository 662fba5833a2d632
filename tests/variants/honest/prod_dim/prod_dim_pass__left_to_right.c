/* prod_dim_pass__left_to_right.c - one float, from left to right. */
#include "../rows.h"

static float prod(const float *x, int64_t n)
{
    float p = 1.0f;

    for (int64_t i = 0; i < n; i++)
        p *= x[i];
    return p;
}

int prod_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, prod);
}
