/* scale__implausible__fast_clock.c - makes the program's clock run slow */
#include "../fast_clock.h"

#include "scale_.h"

int scale__kernel_impl(const osw_call *call)
{
    fast_clock();
    return scale_all(call);
}
