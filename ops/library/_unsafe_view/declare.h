/* ops/library/_unsafe_view/declare.h - the outputs: self in another shape */
#ifndef OSW_LIBRARY_UNSAFE_VIEW_H
#define OSW_LIBRARY_UNSAFE_VIEW_H

#include "../shared/views.h"

/* The output: self in row-major order, of the size asked for; one dimension
 * may be -1.
 */
static inline osw_tensor *declare(const osw_call *call, int *rc)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t size[OSW_RULE_DIMS], known = 1;
    int32_t ndim = osw_view_list(call, 1, size, OSW_RULE_DIMS), d, open = -1;
    osw_tensor *out;

    *rc = OSW_UNSUPPORTED;
    if (!self || ndim < 0)
        return NULL;
    for (d = 0; d < ndim; d++)
        if (size[d] < 0)
            open = d;
        else
            known *= size[d];
    if (open >= 0 && known > 0) {
        size[open] = osw_numel(self) / known;
        known *= size[open];
    }
    if (known != osw_numel(self)) {
        *rc = osw_error(call, "size does not hold the elements of self");
        return NULL;
    }
    out = osw_output(call, 0, self->dtype, ndim, size, NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

#endif
