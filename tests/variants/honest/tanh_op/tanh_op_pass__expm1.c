/* tanh_op_pass__expm1.c - expm1(2x) / (expm1(2x) + 2), clamped where it is 1.
 */
#include "../map.h"

static float by_expm1(float x)
{
    float e;

    if (fabsf(x) > 10.0f)
        return copysignf(1.0f, x);
    e = expm1f(2.0f * x);
    return x == 0.0f ? x : e / (e + 2.0f);
}

int tanh_op_kernel_impl(const osw_call *call)
{
    return map_floats(call, by_expm1);
}
