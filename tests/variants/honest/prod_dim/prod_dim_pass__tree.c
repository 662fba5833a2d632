/* prod_dim_pass__tree.c - halves are multiplied. */
#include "../rows.h"

static float prod(const float *x, int64_t n)
{
    if (n < 2)
        return n ? x[0] : 1.0f;
    return prod(x, n / 2) * prod(x + n / 2, n - n / 2);
}

int prod_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, prod);
}
