/* zero_ - every element of self becomes 0 */
#include "../shared/copy_reference.h"

int zero__meta(const osw_call *call)
{
    return osw_output_alias(call, 0, 0) ? 0 : OSW_ERROR;
}

int zero__reference(const osw_call *call)
{
    osw_tensor *out = osw_output_alias(call, 0, 0);

    if (!out)
        return OSW_ERROR;
    osw_copy_reference_fill(out, 0.0);
    return 0;
}
