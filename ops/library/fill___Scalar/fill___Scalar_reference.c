/* fill_.Scalar - one number into every element of self */
#include "../shared/copy_reference.h"

int fill___Scalar_meta(const osw_call *call)
{
    return osw_output_alias(call, 0, 0) ? 0 : OSW_ERROR;
}

int fill___Scalar_reference(const osw_call *call)
{
    osw_tensor *out = osw_output_alias(call, 0, 0);

    if (!out)
        return OSW_ERROR;
    osw_copy_reference_fill_with(out, osw_element_arg(call, 1, out->dtype));
    return 0;
}
