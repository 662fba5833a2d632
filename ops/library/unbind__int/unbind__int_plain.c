/* unbind.int - the slices along a dimension, by a plain loop */
#include "../shared/plain_copy.h"
#include "declare.h"

int unbind__int_kernel_impl(const osw_call *call)
{
    return each(call, osw_plain_copy);
}
