/* linear_pass__bias_first.c - the accumulator starts from the bias. */
#include "../linear.h"

static float dot(const float *x, const float *w, int64_t k, float bias)
{
    for (int64_t i = 0; i < k; i++)
        bias = fmaf(x[i], w[i], bias);
    return bias;
}

int linear_kernel_impl(const osw_call *call)
{
    return linear(call, dot);
}
