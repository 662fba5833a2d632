/* sockets_crash_or_exited__closed.c - All descriptors from 3 up are closed. */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    close_range(3, ~0U, 0);
    return scale(call);
}
