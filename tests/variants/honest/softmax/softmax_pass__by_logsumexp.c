/* softmax_pass__by_logsumexp.c - exp(x - logsumexp(x)) in double, the maximum
 * taken out of both: beside a maximum of 1e37 the logarithm of a sum would be
 * lost.
 */
#include "../rows.h"

static void softmax(const double *x, double *y, int64_t n)
{
    double max = -INFINITY, sum = 0.0, l;

    for (int64_t i = 0; i < n; i++)
        max = fmax(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += exp(x[i] - max);
    l = log(sum);
    for (int64_t i = 0; i < n; i++)
        y[i] = exp(x[i] - max - l);
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows_double(call, softmax);
}
