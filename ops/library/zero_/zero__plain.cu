/* zero_ - every element of self becomes 0, a thread per element */
#include "../shared/plain_copy.cuh"

extern "C" int zero__kernel_impl(const osw_call *call)
{
    const osw_tensor *out = osw_output_alias(call, 0, 0);

    return out ? osw_plain_fill_any(call, out, osw_element_of(out->dtype, 0.0))
               : OSW_ERROR;
}
