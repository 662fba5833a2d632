/* silu_value__hard.c - wrong: hard swish. */
#include "../map.h"

static float silu(float x)
{
    return x * fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) / 6.0f;
}

int silu_kernel_impl(const osw_call *call)
{
    return map_floats(call, silu);
}
