/* life_returned__seven.c - fails with a number that means nothing */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    (void)call;
    return 7;
}
