/* ends_crash__kills_itself.c - It kills itself. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    raise(SIGKILL);
    return scale(call);
}
