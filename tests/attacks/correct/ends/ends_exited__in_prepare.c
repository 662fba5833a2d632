/* ends_exited__in_prepare.c - It ends in prepare. */

#include "../../attack.h"

int ends_prepare(const osw_call *call, void **state)
{
    (void)call;
    (void)state;
    _exit(0);
}

int ends_kernel_impl(const osw_call *call)
{

    return scale(call);
}
