/* nested_skipped__cases.c - The honest neighbour. */

#include "../../attack.h"

int nested_kernel_impl(const osw_call *call)
{
    return scale(call);
}
