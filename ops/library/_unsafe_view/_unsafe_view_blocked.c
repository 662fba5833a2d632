/* _unsafe_view - the elements of self in another shape, tile by tile where it
 * transposes */
#include "../shared/copying.h"
#include "declare.h"

int _unsafe_view_kernel_impl(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    struct osw_view to;
    int rc;
    osw_tensor *out = declare(call, &rc);

    if (!out)
        return rc;
    if (self->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    osw_view_as(&to, out, self->ndim, self->shape);
    return osw_copy_blocked(call, &to.t, self);
}
