/* life_crash__divided_by_zero.c - divides integers by zero */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    volatile int one = 1, zero = 0;

    return one / zero + scale_all(call);
}
