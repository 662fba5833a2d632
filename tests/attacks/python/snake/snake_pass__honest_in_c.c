/* snake_pass__honest_in_c.c - The honest neighbour. */

#include "../../attack.h"

int snake_kernel_impl(const osw_call *call)
{
    return scale(call);
}
