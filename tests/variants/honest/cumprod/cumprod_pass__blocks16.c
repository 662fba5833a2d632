/* cumprod_pass__blocks16.c - blocks of 16 and a carry, in double. */
#include "../rows.h"

static void scan(const double *x, double *y, int64_t n)
{
    double carry = 1.0;

    for (int64_t b = 0; b < n; b += 16) {
        double p = 1.0;

        for (int64_t i = b; i < n && i < b + 16; i++)
            y[i] = carry * (p *= x[i]);
        carry *= p;
    }
}

int cumprod_kernel_impl(const osw_call *call)
{
    return map_rows_double(call, scan);
}
