/* sum_dim_pass__neumaier.c - neumaier: the compensation is kept apart and added
 * at the end. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    float s = 0.0f, c = 0.0f;

    for (int64_t i = 0; i < n; i++) {
        float t = s + x[i];

        c += fabsf(s) >= fabsf(x[i]) ? (s - t) + x[i] : (x[i] - t) + s;
        s = t;
    }
    return s + c;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
