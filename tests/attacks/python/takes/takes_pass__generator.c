/* takes_pass__generator.c - The honest neighbour. */

#include "../../attack.h"

int takes_kernel_impl(const osw_call *call)
{
    return scale(call);
}
