/* unbind.int - the slices along a dimension */
#include "../shared/plain_copy.cuh"
#include "declare.h"

extern "C" int unbind__int_kernel_impl(const osw_call *call)
{
    return each(call, osw_plain_copy);
}
