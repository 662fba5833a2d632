/* ops/library/split__Tensor/declare.h - the outputs: pieces of one size */
#ifndef OSW_LIBRARY_SPLIT_TENSOR_H
#define OSW_LIBRARY_SPLIT_TENSOR_H

#include "../shared/views.h"

typedef int copier(const osw_call *call, const osw_tensor *to,
                   const osw_tensor *from);

/* Declare every part and, where there is data, copy it. */
static inline int each(const osw_call *call, copier *copy)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t size = osw_arg_int(call, 1, 0), start = 0, length;
    int32_t dim;
    int i = 0, rc = 0;

    if (!self || self->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    dim = osw_view_dim(osw_arg_int(call, 2, 0), self->ndim);
    if (dim < 0 || size < 0 || (size == 0 && self->shape[dim] > 0))
        return osw_error(call, "no such dimension or size to split into");
    do {
        struct osw_view part;
        osw_tensor *out;

        length = self->shape[dim] - start;
        length = length < size ? length : size;
        osw_view_of(&part, self);
        osw_view_narrow(&part, dim, start, length);
        out = osw_output(call, i++, self->dtype, part.t.ndim, part.shape, NULL);
        if (!out)
            return OSW_ERROR;
        if (copy)
            rc = copy(call, out, &part.t);
        start += length;
    } while (!rc && start < self->shape[dim]);
    return rc;
}

#endif
