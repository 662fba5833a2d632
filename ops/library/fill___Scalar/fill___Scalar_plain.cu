/* fill_.Scalar - one number into every element of self, a thread per element */
#include "../shared/plain_copy.cuh"

extern "C" int fill___Scalar_kernel_impl(const osw_call *call)
{
    const osw_tensor *out = osw_output_alias(call, 0, 0);

    return out ? osw_plain_fill_any(call, out,
                                    osw_element_arg(call, 1, out->dtype))
               : OSW_ERROR;
}
