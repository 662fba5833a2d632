/* nothing_reference_or_shape_or_unverified__result.c - The honest neighbour. */

#include "../../attack.h"

int nothing_kernel_impl(const osw_call *call)
{
    return scale(call);
}
