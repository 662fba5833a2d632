/* ends_timeout__stops_its_group.c - It stops its group. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    kill(0, SIGSTOP);
    return scale(call);
}
