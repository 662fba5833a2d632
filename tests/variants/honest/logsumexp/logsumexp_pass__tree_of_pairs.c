/* logsumexp_pass__tree_of_pairs.c - pairs (max, sum) are merged like a tree. */
#include "../rows.h"

static void merge(const float *x, int64_t n, float *max, float *sum)
{
    float ma, mb, a, b;

    if (n == 1) {
        *max = x[0];
        *sum = 1.0f;
        return;
    }
    merge(x, n / 2, &ma, &a);
    merge(x + n / 2, n - n / 2, &mb, &b);
    *max = fmaxf(ma, mb);
    *sum = isinf(*max) ? 0.0f : a * expf(ma - *max) + b * expf(mb - *max);
}

static float lse(const float *x, int64_t n)
{
    float max, sum;

    merge(x, n, &max, &sum);
    return isinf(max) ? max : max + logf(sum);
}

int logsumexp_kernel_impl(const osw_call *call)
{
    return reduce_rows(call, lse);
}
