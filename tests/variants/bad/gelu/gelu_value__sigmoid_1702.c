/* gelu_value__sigmoid_1702.c - wrong: x sigmoid(1.702 x), the rough
 * approximation. */
#include "../gelu.h"

static float gelu(float x)
{
    return x / (1.0f + expf(-1.702f * x));
}

int gelu_kernel_impl(const osw_call *call)
{
    return map_gelu(call, gelu, gelu_tanh);
}
