/* ops/library/unbind__int/declare.h - the outputs: slices along a dimension */
#ifndef OSW_LIBRARY_UNBIND_INT_H
#define OSW_LIBRARY_UNBIND_INT_H

#include "../shared/views.h"

typedef int copier(const osw_call *call, const osw_tensor *to,
                   const osw_tensor *from);

/* Declare every slice and, where there is data, copy it. */
static inline int each(const osw_call *call, copier *copy)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int32_t dim;
    int64_t i;
    int rc = 0;

    if (!self || self->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    dim = osw_view_dim(osw_arg_int(call, 1, 0), self->ndim);
    if (dim < 0)
        return osw_error(call, "no such dimension to unbind");
    for (i = 0; i < self->shape[dim] && !rc; i++) {
        struct osw_view slice;
        osw_tensor *out;

        osw_view_of(&slice, self);
        osw_view_select(&slice, dim, i);
        out = osw_output(call, (int)i, self->dtype, slice.t.ndim, slice.shape,
                         NULL);
        if (!out)
            return OSW_ERROR;
        if (copy)
            rc = copy(call, out, &slice.t);
    }
    return rc;
}

#endif
