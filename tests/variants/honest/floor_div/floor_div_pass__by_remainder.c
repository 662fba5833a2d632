/* floor_div_pass__by_remainder.c - takes the floored remainder off first, then
 * divides exactly. */
#include "../map.h"

static int64_t fdiv(int64_t a, int64_t b)
{
    int64_t r = a % b;

    if (r != 0 && (r ^ b) < 0)
        r += b;
    return (a - r) / b;
}

int floor_div_kernel_impl(const osw_call *call)
{
    return map_ints(call, fdiv);
}
