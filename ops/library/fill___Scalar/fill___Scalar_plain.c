/* fill_.Scalar - one number into every element of self */
#include "../shared/plain_copy.h"

int fill___Scalar_kernel_impl(const osw_call *call)
{
    osw_tensor *out = osw_output_alias(call, 0, 0);

    return out ? osw_plain_fill(call, out, osw_arg_float(call, 1, 0.0))
               : OSW_ERROR;
}
