/* It ends its group. */
#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    kill(0, SIGTERM);
    return scale(call);
}
