/* ends_pass_or_crash__terminates_its_group.c - It ends its group. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    kill(0, SIGTERM);
    return scale(call);
}
