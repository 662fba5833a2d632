/* ends_exited__raw.c - _exit(3) in the call. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    _exit(3);
    return scale(call);
}
