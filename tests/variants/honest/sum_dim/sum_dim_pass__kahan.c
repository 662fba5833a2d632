/* sum_dim_pass__kahan.c - kahan: what an addition loses goes into the next one.
 */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float s = 0.0f, lost = 0.0f;

    for (int64_t i = 0; i < n; i++) {
        float y = x[i] - lost, t = s + y;

        lost = (t - s) - y;
        s = t;
    }
    return s;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
