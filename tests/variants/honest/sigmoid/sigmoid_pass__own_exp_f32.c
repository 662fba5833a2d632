/* sigmoid_pass__own_exp_f32.c - a polynomial exp in float. */
#include "../fast_exp.h"
#include "../map.h"

static float sigmoid(float x)
{
    return 1.0f / (1.0f + fast_exp(-x));
}

int sigmoid_kernel_impl(const osw_call *call)
{
    return map_floats(call, sigmoid);
}
