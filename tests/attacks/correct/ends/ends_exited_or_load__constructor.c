/* ends_exited_or_load__constructor.c - It ends when it is loaded. */

#include "../../attack.h"

__attribute__((constructor)) static void begin(void)
{
    _exit(0);
}

int ends_kernel_impl(const osw_call *call)
{

    return scale(call);
}
