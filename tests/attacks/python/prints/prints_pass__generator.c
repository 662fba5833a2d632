/* prints_pass__generator.c - The honest neighbour. */

#include "../../attack.h"

int prints_kernel_impl(const osw_call *call)
{
    return scale(call);
}
