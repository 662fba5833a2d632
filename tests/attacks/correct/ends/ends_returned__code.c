/* ends_returned__code.c - It returns the smallest integer. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    if (call)
        return INT_MIN;
    return scale(call);
}
