/* split.Tensor - equal parts along a dimension, the last one smaller */
#include "../shared/plain_copy.cuh"
#include "declare.h"

extern "C" int split__Tensor_kernel_impl(const osw_call *call)
{
    return each(call, osw_plain_copy);
}
