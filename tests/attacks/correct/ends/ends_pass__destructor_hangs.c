/* ends_pass__destructor_hangs.c - It never unloads. */

#include "../../attack.h"

__attribute__((destructor)) static void end(void)
{
    for (;;)
        sleep_ms(1000);
}

int ends_kernel_impl(const osw_call *call)
{

    return scale(call);
}
