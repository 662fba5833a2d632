/* ends_timeout__stops_itself.c - It stops itself. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    raise(SIGSTOP);
    return scale(call);
}
