/* log_softmax_pass__online_f64.c - online sum in double. */
#include "../rows.h"

static void log_softmax(const double *x, double *y, int64_t n)
{
    double max = -INFINITY, sum = 0.0;

    for (int64_t i = 0; i < n; i++) {
        if (x[i] > max) {
            sum *= exp(max - x[i]);
            max = x[i];
        }
        sum += exp(x[i] - max);
    }
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] - (max + log(sum));
}

int log_softmax_kernel_impl(const osw_call *call)
{
    return map_rows_double(call, log_softmax);
}
