/* tanh_op_value_or_precision__pade.c - wrong: x (27 + x^2) / (27 + 9 x^2), 2 %
 * off. */
#include "../map.h"

static float pade(float x)
{
    return fminf(fmaxf(x * (27.0f + x * x) / (27.0f + 9.0f * x * x), -1.0f),
                 1.0f);
}

int tanh_op_kernel_impl(const osw_call *call)
{
    return map_floats(call, pade);
}
