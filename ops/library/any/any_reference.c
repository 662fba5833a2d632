/* any - is any element not 0? */
#include "../shared/copy_reference.h"

/* A single truth, as a u8 where self is u8. */
static osw_tensor *declare(const osw_call *call, int *rc)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    osw_dtype t = osw_rule_dtype(OSW_BOOL, 8);
    osw_tensor *out;

    *rc = OSW_UNSUPPORTED;
    if (!self || osw_rule_category(self->dtype) < 0)
        return NULL;
    if (osw_is(self, OSW_UINT, 8))
        t = self->dtype;
    out = osw_output(call, 0, t, 0, NULL, NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

int any_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

int any_reference(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t n = self ? osw_numel(self) : 0, i;
    int rc, found = 0;
    osw_tensor *out = declare(call, &rc);

    if (!out)
        return rc;
    for (i = 0; i < n; i++)
        found |= osw_get(self, i) != 0.0;
    osw_set(out, 0, found);
    return 0;
}
