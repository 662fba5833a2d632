/* floor_div_value__toward_zero.c - wrong: C's division rounds toward zero. */
#include "../map.h"

static int64_t fdiv(int64_t a, int64_t b)
{
    return a / b;
}

int floor_div_kernel_impl(const osw_call *call)
{
    return map_ints(call, fdiv);
}
