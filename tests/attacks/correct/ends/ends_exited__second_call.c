/* ends_exited__second_call.c - It ends in its second call. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    static int n;

    if (++n == 2)
        _exit(0);
    return scale(call);
}
