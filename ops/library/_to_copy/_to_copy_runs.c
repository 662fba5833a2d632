/* _to_copy - a copy in another dtype, in runs */
#include "../shared/copying.h"

/* The output: as self, of the dtype asked for; layout, device, pinning and
 * memory format are left as they are. */
static osw_tensor *declare(const osw_call *call, int *rc)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    osw_tensor *out = NULL;
    osw_dtype t;

    *rc = OSW_UNSUPPORTED;
    if (!self)
        return NULL;
    t = osw_view_dtype(call, 1, self->dtype);
    if (osw_rule_category(t) < 0 && !osw_rule_same(t, self->dtype))
        return NULL;
    out = osw_output(call, 0, t, self->ndim, self->shape, NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

int _to_copy_kernel_impl(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    return out ? osw_copy_run(call, out, osw_arg_tensor(call, 0)) : rc;
}
