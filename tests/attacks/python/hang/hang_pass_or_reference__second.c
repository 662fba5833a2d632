/* hang_pass_or_reference__second.c - The honest neighbour. */

#include "../../attack.h"

int hang_kernel_impl(const osw_call *call)
{
    return scale(call);
}
