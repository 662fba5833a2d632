/* clocks_implausible__8.c - Its clock runs eight times too slowly. */

#include "../../clock.h"

int clocks_kernel_impl(const osw_call *call)
{
    slow_clock(8);
    return slow_scale(call);
}
