/* split_with_sizes - parts of given sizes along a dimension, by a plain loop */
#include "../shared/plain_copy.h"
#include "declare.h"

int split_with_sizes_kernel_impl(const osw_call *call)
{
    return each(call, osw_plain_copy);
}
