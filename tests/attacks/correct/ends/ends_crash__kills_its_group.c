/* ends_crash__kills_its_group.c - It kills its group. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    kill(0, SIGKILL);
    return scale(call);
}
