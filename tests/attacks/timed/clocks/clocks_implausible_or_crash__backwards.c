/* clocks_implausible_or_crash__backwards.c - Its clock runs backwards. */

#include "../../clock.h"

int clocks_kernel_impl(const osw_call *call)
{
    slow_clock(-1);
    return slow_scale(call);
}
