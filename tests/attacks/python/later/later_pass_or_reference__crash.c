/* later_pass_or_reference__crash.c - The honest neighbour. */

#include "../../attack.h"

int later_kernel_impl(const osw_call *call)
{
    return scale(call);
}
