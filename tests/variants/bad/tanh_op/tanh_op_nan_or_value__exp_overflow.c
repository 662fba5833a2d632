/* tanh_op_nan_or_value__exp_overflow.c - wrong: (e - 1) / (e + 1) is inf / inf
 * for large x. */
#include "../map.h"

static float by_exp(float x)
{
    float e = expf(2.0f * x);

    return (e - 1.0f) / (e + 1.0f);
}

int tanh_op_kernel_impl(const osw_call *call)
{
    return map_floats(call, by_exp);
}
