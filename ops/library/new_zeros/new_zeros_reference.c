/* new_zeros - zeros of any size */
#include "../copy_reference.h"

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

int new_zeros_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

int new_zeros_reference(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    if (!out)
        return rc;
    osw_copy_reference_fill(out, 0.0);
    return 0;
}
