/* fill_.Tensor - one value into every element of self */
#include "../shared/copy_reference.h"

/* The output: self. */
static osw_tensor *declare(const osw_call *call, int *rc)
{
    osw_tensor *out = osw_output_alias(call, 0, 0);

    *rc = out && osw_arg_tensor(call, 1) ? 0 : OSW_ERROR;
    return *rc ? NULL : out;
}

int fill___Tensor_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

int fill___Tensor_reference(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_copy_reference(call, out, osw_arg_tensor(call, 1)) : rc;
}
