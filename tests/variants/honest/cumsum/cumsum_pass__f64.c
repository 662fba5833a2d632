/* cumsum_pass__f64.c - one running double. */
#include "../rows.h"

static void scan(const double *x, double *y, int64_t n)
{
    double s = 0.0;

    for (int64_t i = 0; i < n; i++)
        y[i] = s += x[i];
}

int cumsum_kernel_impl(const osw_call *call)
{
    return map_rows_double(call, scan);
}
