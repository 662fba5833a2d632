/* split_with_sizes - parts of given sizes along a dimension, in runs */
#include "../shared/copying.h"
#include "declare.h"

int split_with_sizes_kernel_impl(const osw_call *call)
{
    return each(call, osw_copy_run);
}
