/* fill_.Scalar - one number into every element of self */
#include "../shared/copying.h"

int fill___Scalar_kernel_impl(const osw_call *call)
{
    osw_tensor *out = osw_output_alias(call, 0, 0);

    return out ? osw_copy_fill_arg(call, out, 1) : OSW_ERROR;
}
