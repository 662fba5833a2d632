/* floor_div_pass__complement.c - ~(~a / b) for a negative a over a positive b.
 */
#include "../map.h"

static int64_t fdiv(int64_t a, int64_t b)
{
    if (b < 0) {
        a = -a;
        b = -b;
    }
    return a < 0 ? ~(~a / b) : a / b;
}

int floor_div_kernel_impl(const osw_call *call)
{
    return map_ints(call, fdiv);
}
