/* zero_ - every element of self becomes 0, by a plain loop */
#include "../shared/plain_copy.h"

int zero__kernel_impl(const osw_call *call)
{
    osw_tensor *out = osw_output_alias(call, 0, 0);

    return out ? osw_plain_fill(call, out, 0.0) : OSW_ERROR;
}
