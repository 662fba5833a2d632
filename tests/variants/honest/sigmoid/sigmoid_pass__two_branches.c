/* sigmoid_pass__two_branches.c - exp of a negative number only, so that nothing
 * overflows. */
#include "../map.h"

static float sigmoid(float x)
{
    float e = expf(-fabsf(x));

    return x >= 0.0f ? 1.0f / (1.0f + e) : (x < 0.0f ? e / (1.0f + e) : x);
}

int sigmoid_kernel_impl(const osw_call *call)
{
    return map_floats(call, sigmoid);
}
