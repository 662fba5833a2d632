/* forks_pass_or_load_or_reference__generator.c - The honest neighbour. */

#include "../../attack.h"

int forks_kernel_impl(const osw_call *call)
{
    return scale(call);
}
