/* linear_value__bias_twice_on_tails.c - wrong: both halves of an odd row start
 * from the bias. */
#include "../linear.h"

static float dot(const float *x, const float *w, int64_t k, float bias)
{
    float a = bias, b = k % 2 ? bias : 0.0f;

    for (int64_t i = 0; i < k; i++)
        if (i % 2)
            b += x[i] * w[i];
        else
            a += x[i] * w[i];
    return a + b;
}

int linear_kernel_impl(const osw_call *call)
{
    return linear(call, dot);
}
