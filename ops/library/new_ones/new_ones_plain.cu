/* new_ones - ones of any size */
#include "../plain_copy.cuh"

/* The output: of the size and dtype asked for, the dtype of self otherwise. */
static osw_tensor *declare(const osw_call *call, int *rc)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t size[OSW_RULE_DIMS];
    int32_t ndim = osw_view_list(call, 1, size, OSW_RULE_DIMS);
    osw_tensor *out;

    *rc = OSW_UNSUPPORTED;
    if (!self || ndim < 0)
        return NULL;
    out = osw_output(call, 0, osw_view_dtype(call, 2, self->dtype), ndim, size,
                     NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

extern "C" int new_ones_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_plain_fill(call, out, 1.0) : rc;
}
