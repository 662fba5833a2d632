/* ends_exited__quick.c - quick_exit(0) in the call. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    quick_exit(0);
    return scale(call);
}
