/* gelu_value__erf_of_x.c - wrong: erf(x) without the root of two. */
#include "../gelu.h"

static float gelu(float x)
{
    return 0.5f * x * (1.0f + erff(x));
}

int gelu_kernel_impl(const osw_call *call)
{
    return map_gelu(call, gelu, gelu_tanh);
}
