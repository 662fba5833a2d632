/* hangs_timeout_or_load__constructor.c - It is never loaded. */

#include "../../attack.h"

__attribute__((constructor)) static void begin(void)
{
    for (;;)
        sleep_ms(1000);
}

int hangs_kernel_impl(const osw_call *call)
{

    return scale(call);
}
