/* silu_pass__quotient.c - x / (1 + exp(-x)). */
#include "../map.h"

static float silu(float x)
{
    return x / (1.0f + expf(-x));
}

int silu_kernel_impl(const osw_call *call)
{
    return map_floats(call, silu);
}
