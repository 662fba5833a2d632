/* moody_value_or_reference_or_unverified__result.c - The honest neighbour. */

#include "../../attack.h"

int moody_kernel_impl(const osw_call *call)
{
    return scale(call);
}
