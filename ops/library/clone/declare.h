/* ops/library/clone/declare.h - the output: as self */
#ifndef OSW_LIBRARY_CLONE_H
#define OSW_LIBRARY_CLONE_H

#include "../shared/views.h"

/* The output: as self. */
static inline osw_tensor *declare(const osw_call *call, int *rc)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    osw_tensor *out = NULL;

    *rc = OSW_UNSUPPORTED;
    if (!self || self->dtype.bits < 8)
        return NULL;
    out = osw_output(call, 0, self->dtype, self->ndim, self->shape, NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

#endif
