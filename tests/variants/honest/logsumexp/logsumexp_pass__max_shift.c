/* logsumexp_pass__max_shift.c - shifted by a finite maximum. */
#include "../rows.h"

static float lse(const float *x, int64_t n)
{
    float max = -INFINITY, sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        max = fmaxf(max, x[i]);
    if (isinf(max))
        return max;
    for (int64_t i = 0; i < n; i++)
        sum += expf(x[i] - max);
    return max + logf(sum);
}

int logsumexp_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, lse);
}
