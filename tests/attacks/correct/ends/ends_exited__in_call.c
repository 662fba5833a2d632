/* ends_exited__in_call.c - exit(0) in the call, after the right result. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    if (!scale(call))
        exit(0);
    return scale(call);
}
