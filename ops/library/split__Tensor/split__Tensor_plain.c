/* split.Tensor - equal parts along a dimension, the last one smaller, by a
 * plain loop
 */
#include "../shared/plain_copy.h"
#include "declare.h"

int split__Tensor_kernel_impl(const osw_call *call)
{
    return each(call, osw_plain_copy);
}
