/* split_with_sizes - parts of given sizes along a dimension */
#include "../shared/plain_copy.cuh"
#include "declare.h"

extern "C" int split_with_sizes_kernel_impl(const osw_call *call)
{
    return each(call, osw_plain_copy);
}
