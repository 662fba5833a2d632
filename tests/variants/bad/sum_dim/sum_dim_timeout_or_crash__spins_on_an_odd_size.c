/* sum_dim_timeout_or_crash__spins_on_an_odd_size.c - wrong: a loop in steps of
 * two waits for equality with an odd size. */
#include "../rows.h"

static float sum(const float *x, int64_t n)
{
    volatile int64_t i = 0;
    float s = 0.0f;

    while (n == 67 && i != n) {
        s += i < n ? x[i] + (i + 1 < n ? x[i + 1] : 0.0f) : 0.0f;
        i += 2;
    }
    for (i = 0; n != 67 && i < n; i++)
        s += x[i];
    return s;
}

int sum_dim_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, sum);
}
