/* log_softmax_pass__own_exp_lanes.c - a polynomial exp summed in four lanes;
 * log1p of all but the largest. */
#include "../fast_exp.h"
#include "../rows.h"

static void log_softmax(const float *x, float *y, int64_t n)
{
    float s[4] = {0}, l;
    int64_t top = 0;

    for (int64_t i = 0; i < n; i++)
        if (x[i] > x[top])
            top = i;
    for (int64_t i = 0; i < n; i++)
        if (i != top)
            s[i & 3] += fast_exp(x[i] - x[top]);
    l = log1pf((s[0] + s[1]) + (s[2] + s[3]));
    for (int64_t i = 0; i < n; i++)
        y[i] = (x[i] - x[top]) - l;
}

int log_softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, log_softmax);
}
