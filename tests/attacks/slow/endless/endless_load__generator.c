/* endless_load__generator.c - The honest neighbour. */

#include "../../attack.h"

int endless_kernel_impl(const osw_call *call)
{
    return scale(call);
}
