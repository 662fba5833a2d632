/* scale_crash__divided_by_zero.c - divides integers by zero */
#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    volatile int zero = 0;

    return 1 / zero + scale_all(call);
}
