/* sigmoid_value_or_precision__hard.c - wrong: a table of 4096 places in [-8, 8]
 * without interpolation. */
#include "../map.h"

static float sigmoid(float x)
{
    float at = rintf(fminf(fmaxf(x, -8.0f), 8.0f) * 256.0f) / 256.0f;

    return x != x ? x : 1.0f / (1.0f + expf(-at));
}

int sigmoid_kernel_impl(const osw_call *call)
{
    return map_floats(call, sigmoid);
}
