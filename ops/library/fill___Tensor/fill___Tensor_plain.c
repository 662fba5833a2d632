/* fill_.Tensor - one value into every element of self, by a plain loop */
#include "../copy_/declare.h"
#include "../shared/plain_copy.h"

int fill___Tensor_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_plain_copy(call, out, osw_arg_tensor(call, 1)) : rc;
}
