/* gelu_pass__erff.c - 0.5 x (1 + erf(x / sqrt 2)), as every framework writes
 * it. */
#include "../gelu.h"

static float gelu(float x)
{
    return 0.5f * x * (1.0f + erff(x * 0.707106781f));
}

int gelu_kernel_impl(const osw_call *call)
{
    return map_gelu(call, gelu, gelu_tanh);
}
