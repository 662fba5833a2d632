/* mean_dim_pass__running_mean_f64.c - the mean so far moves toward each
 * element, in double. */
#include "../rows.h"

static double mean(const double *x, int64_t n)
{
    double m = n ? 0.0 : NAN;

    for (int64_t i = 0; i < n; i++)
        m += (x[i] - m) / (double)(i + 1);
    return m;
}

int mean_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows_double(call, mean);
}
