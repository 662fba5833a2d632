/* claims_implausible_or_timeout__clock_stands.c - Its clock stands. */

#include "../../clock.h"

int claims_kernel_impl(const osw_call *call)
{
    slow_clock(1e15);
    return slow_scale(call);
}
