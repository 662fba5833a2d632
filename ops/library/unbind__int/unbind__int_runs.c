/* unbind.int - the slices along a dimension, in runs */
#include "../shared/copying.h"
#include "declare.h"

int unbind__int_kernel_impl(const osw_call *call)
{
    return each(call, osw_copy_run);
}
