/* scale_returned__seven.c - fails with a number that means nothing */
#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    (void)call;
    return 7;
}
