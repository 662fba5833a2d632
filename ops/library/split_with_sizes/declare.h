/* ops/library/split_with_sizes/declare.h - the outputs: pieces of given sizes
 */
#ifndef OSW_LIBRARY_SPLIT_WITH_SIZES_H
#define OSW_LIBRARY_SPLIT_WITH_SIZES_H

#include "../shared/views.h"

typedef int copier(const osw_call *call, const osw_tensor *to,
                   const osw_tensor *from);

/* Declare every part and, where there is data, copy it. */
static inline int each(const osw_call *call, copier *copy)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    const osw_arg *sizes = osw_arg_at(call, 1);
    int64_t start = 0;
    int32_t dim;
    uint32_t i;
    int rc = 0;

    if (!self || self->ndim > OSW_RULE_DIMS || sizes->tag != OSW_ARG_LIST)
        return OSW_UNSUPPORTED;
    dim = osw_view_dim(osw_arg_int(call, 2, 0), self->ndim);
    if (dim < 0)
        return osw_error(call, "no such dimension to split");
    for (i = 0; i < sizes->n && !rc; i++) {
        int64_t length = sizes->u.items[i].u.i;
        struct osw_view part;
        osw_tensor *out;

        if (sizes->u.items[i].tag != OSW_ARG_INT || length < 0 ||
            length > self->shape[dim] - start)
            return osw_error(call, "sizes do not fit the dimension");
        osw_view_of(&part, self);
        osw_view_narrow(&part, dim, start, length);
        out = osw_output(call, (int)i, self->dtype, part.t.ndim, part.shape,
                         NULL);
        if (!out)
            return OSW_ERROR;
        if (copy)
            rc = copy(call, out, &part.t);
        start += length;
    }
    return rc;
}

#endif
