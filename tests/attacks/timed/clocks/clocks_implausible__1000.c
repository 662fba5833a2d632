/* clocks_implausible__1000.c - Its clock runs a thousand times too slowly. */

#include "../../clock.h"

int clocks_kernel_impl(const osw_call *call)
{
    slow_clock(1000);
    return slow_scale(call);
}
