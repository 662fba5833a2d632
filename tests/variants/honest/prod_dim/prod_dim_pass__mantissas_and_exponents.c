/* prod_dim_pass__mantissas_and_exponents.c - exponents are added apart, so that
 * no partial product under- or overflows. */
#include "../rows.h"

static double prod(const double *x, int64_t n)
{
    double m = 1.0;
    long e = 0;

    for (int64_t i = 0; i < n; i++) {
        int k;

        m = frexp(m * x[i], &k);
        e += k;
    }
    return ldexp(m, (int)e);
}

int prod_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows_double(call, prod);
}
