/* gelu_pass__erfcf.c - 0.5 x erfc(-x / sqrt 2), which keeps digits on the left.
 */
#include "../gelu.h"

static float gelu(float x)
{
    return 0.5f * x * erfcf(-x * 0.707106781f);
}

static float by_sigmoid(float x)
{
    return x / (1.0f + expf(-1.595769122f * (x + 0.044715f * x * x * x)));
}

int gelu_kernel_impl(const osw_call *call)
{
    return map_gelu(call, gelu, by_sigmoid);
}
