/* split.Tensor - equal parts along a dimension, the last one smaller, in runs
 */
#include "../shared/copying.h"
#include "declare.h"

int split__Tensor_kernel_impl(const osw_call *call)
{
    return each(call, osw_copy_run);
}
