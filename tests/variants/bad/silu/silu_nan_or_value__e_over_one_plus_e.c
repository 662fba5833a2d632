/* silu_nan_or_value__e_over_one_plus_e.c - wrong: x exp(x) / (1 + exp(x)) is
 * inf / inf for large x. */
#include "../map.h"

static float silu(float x)
{
    return x * expf(x) / (1.0f + expf(x));
}

int silu_kernel_impl(const osw_call *call)
{
    return map_floats(call, silu);
}
