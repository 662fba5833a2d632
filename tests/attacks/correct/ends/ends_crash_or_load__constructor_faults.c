/* ends_crash_or_load__constructor_faults.c - It faults when it is loaded. */

#include "../../attack.h"

__attribute__((constructor)) static void begin(void)
{
    *(volatile int *)8 = 1;
}

int ends_kernel_impl(const osw_call *call)
{

    return scale(call);
}
