/* linear_pass__pairwise.c - a tree over the terms. */
#include "../linear.h"

static float tree(const float *x, const float *w, int64_t k)
{
    if (k == 1)
        return x[0] * w[0];
    return tree(x, w, k / 2) + tree(x + k / 2, w + k / 2, k - k / 2);
}

static float dot(const float *x, const float *w, int64_t k, float bias)
{
    return tree(x, w, k) + bias;
}

int linear_kernel_impl(const osw_call *call)
{
    return linear(call, dot);
}
