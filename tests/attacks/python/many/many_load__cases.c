/* many_load__cases.c - The honest neighbour. */

#include "../../attack.h"

int many_kernel_impl(const osw_call *call)
{
    return scale(call);
}
