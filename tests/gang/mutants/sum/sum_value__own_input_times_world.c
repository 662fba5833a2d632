/* sum/sum_value__own_input_times_world.c - no rank is asked */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;

    if (sum_open(call, &s))
        return OSW_ERROR;
    for (int64_t i = 0; i < s.n; i++)
        s.out[i] = s.x[i] * (float)s.world;
    return 0;
}
