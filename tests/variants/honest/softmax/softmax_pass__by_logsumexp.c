/* exp(x - logsumexp(x)), in double. */
#include "../rows.h"

static void softmax(const double *x, double *y, int64_t n)
{
    double max = -INFINITY, sum = 0.0, l;

    for (int64_t i = 0; i < n; i++)
        max = fmax(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += exp(x[i] - max);
    l = max + log(sum);
    for (int64_t i = 0; i < n; i++)
        y[i] = exp(x[i] - l);
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows_double(call, softmax);
}
