/* floor_div_value__minus_one_when_negative.c - wrong: subtracts one from every
 * negative quotient, exact ones too. */
#include "../map.h"

static int64_t fdiv(int64_t a, int64_t b)
{
    return a / b - ((a < 0) != (b < 0) && a != 0);
}

int floor_div_kernel_impl(const osw_call *call)
{
    return map_ints(call, fdiv);
}
