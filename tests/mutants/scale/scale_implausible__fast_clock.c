/* scale_implausible__fast_clock.c - makes the program's clock run slow */
#include "../fast_clock.h"

#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    fast_clock();
    return scale_all(call);
}
