/* sum_dim_pass__f64.c - accumulates in double. */
#include "../rows.h"

static double sum(const double *x, int64_t n)
{
    double s = 0.0;

    for (int64_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows_double(call, sum);
}
