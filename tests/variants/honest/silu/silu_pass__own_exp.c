/* silu_pass__own_exp.c - a polynomial exp; exp of a negative number for either
 * sign. */
#include "../fast_exp.h"
#include "../map.h"

static float silu(float x)
{
    return x / (1.0f + fast_exp(-x));
}

int silu_kernel_impl(const osw_call *call)
{
    return map_floats(call, silu);
}
