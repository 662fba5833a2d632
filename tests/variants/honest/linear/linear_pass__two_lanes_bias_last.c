/* linear_pass__two_lanes_bias_last.c - even and odd terms, then the bias. */
#include "../linear.h"

static float dot(const float *x, const float *w, int64_t k, float bias)
{
    float s[2] = {0};

    for (int64_t i = 0; i < k; i++)
        s[i & 1] += x[i] * w[i];
    return s[0] + s[1] + bias;
}

int linear_kernel_impl(const osw_call *call)
{
    return linear(call, dot);
}
