/* ops/library/new_full/declare.h - the output: of any size */
#ifndef OSW_LIBRARY_NEW_FULL_H
#define OSW_LIBRARY_NEW_FULL_H

#include "../shared/views.h"

/* The output: of the size and dtype asked for, the dtype of self otherwise. */
static inline osw_tensor *declare(const osw_call *call, int *rc)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t size[OSW_RULE_DIMS];
    int32_t ndim = osw_view_list(call, 1, size, OSW_RULE_DIMS);
    osw_tensor *out;

    *rc = OSW_UNSUPPORTED;
    if (!self || ndim < 0)
        return NULL;
    out = osw_output(call, 0, osw_view_dtype(call, 3, self->dtype), ndim, size,
                     NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

#endif
