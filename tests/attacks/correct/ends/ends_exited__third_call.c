/* ends_exited__third_call.c - It ends in its third call. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    static int n;

    if (++n == 3)
        _exit(0);
    return scale(call);
}
