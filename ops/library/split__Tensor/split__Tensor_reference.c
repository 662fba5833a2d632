/* split.Tensor - equal parts along a dimension, the last one smaller */
#include "../shared/copy_reference.h"
#include "declare.h"

int split__Tensor_meta(const osw_call *call)
{
    return each(call, NULL);
}

int split__Tensor_reference(const osw_call *call)
{
    return each(call, osw_copy_reference);
}
