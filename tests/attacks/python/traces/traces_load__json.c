/* traces_load__json.c - The honest neighbour. */

#include "../../attack.h"

int traces_kernel_impl(const osw_call *call)
{
    return scale(call);
}
