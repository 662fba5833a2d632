/* fill_.Tensor - one value into every element of self */
#include "../shared/plain_copy.cuh"

/* The output: self. */
static osw_tensor *declare(const osw_call *call, int *rc)
{
    osw_tensor *out = osw_output_alias(call, 0, 0);

    *rc = out && osw_arg_tensor(call, 1) ? 0 : OSW_ERROR;
    return *rc ? NULL : out;
}

extern "C" int fill___Tensor_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_plain_copy(call, out, osw_arg_tensor(call, 1)) : rc;
}
