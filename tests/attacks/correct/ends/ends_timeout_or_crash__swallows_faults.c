/* ends_timeout_or_crash__swallows_faults.c -
 * A handler returns to the fault, for ever.
 */

#include "../../attack.h"

static void swallow(int signal)
{
    (void)signal;
}

int ends_kernel_impl(const osw_call *call)
{
    signal(SIGSEGV, swallow);
    *(volatile int *)8 = 1;
    return scale(call);
}
