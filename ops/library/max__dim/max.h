/* ops/library/max__dim/max.h - (self, dim, keepdim): the largest of each row
 * along dim, and where it first is; NaN is larger than any number
 */
#ifndef OSW_LIBRARY_MAX_DIM_H
#define OSW_LIBRARY_MAX_DIM_H

#include "../shared/picking.h"

struct osw_max {
    struct osw_slices x;         /* [n_outer, n, inner], cut at dim */
    osw_tensor *values, *places; /* [n_outer, inner], contiguous */
};

static inline int osw_max_open(const osw_call *call, struct osw_max *m)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int keepdim = osw_arg_int(call, 2, 0) != 0;
    int64_t shape[64];
    int32_t dim, ndim = 0;

    if (!self || self->ndim > 64)
        return osw_error(call, "expected a tensor");
    if (self->dtype.code == OSW_COMPLEX)
        return OSW_UNSUPPORTED;
    dim = osw_rows_dim(osw_arg_int(call, 1, 0), self->ndim);
    if (dim < 0)
        return osw_error(call, "no such dimension");
    for (int32_t d = 0; d < self->ndim; d++)
        if (d != dim || keepdim)
            shape[ndim++] = d == dim ? 1 : self->shape[d];
    m->x = osw_slices_of(self, dim);
    if (m->x.n == 0)
        return osw_error(call, "no largest of no elements");
    m->values = osw_output(call, 0, self->dtype, ndim, shape, NULL);
    m->places = osw_output(call, 1, osw_rows_i64(), ndim, shape, NULL);
    return m->values && m->places ? 0 : OSW_ERROR;
}

#endif /* OSW_LIBRARY_MAX_DIM_H */
