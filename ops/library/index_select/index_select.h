/* ops/library/index_select/index_select.h - (self, dim, index) */
#ifndef OSW_LIBRARY_INDEX_SELECT_H
#define OSW_LIBRARY_INDEX_SELECT_H

#include "../shared/picking.h"

enum { OSW_INDEX_SELECT_DIMS = 64 };

struct osw_index_select {
    struct osw_slices from;
    const osw_tensor *index;
    osw_tensor *out;
};

static inline int osw_index_select_open(const osw_call *call,
                                        struct osw_index_select *s)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t shape[OSW_INDEX_SELECT_DIMS];
    int32_t dim;

    s->index = osw_arg_tensor(call, 2);
    if (!self || !s->index || s->index->ndim > 1 ||
        !osw_picking_is_index(s->index) || self->ndim > OSW_INDEX_SELECT_DIMS)
        return osw_error(call, "expected a tensor and a vector of indices");
    dim = osw_rows_dim(osw_arg_int(call, 1, 0), self->ndim);
    if (dim < 0)
        return osw_error(call, "no such dimension");
    for (int32_t d = 0; d < self->ndim; d++)
        shape[d] = d == dim ? osw_numel(s->index) : self->shape[d];
    s->from = osw_slices_of(self, dim);
    s->out = osw_output(call, 0, self->dtype, self->ndim, shape, NULL);
    return s->out ? 0 : OSW_ERROR;
}

#endif /* OSW_LIBRARY_INDEX_SELECT_H */
