/* ops/library/index_fill___int_Scalar/index_fill.h - (self, dim, index, value):
 * the slices of self that the index names become one number
 */
#ifndef OSW_LIBRARY_INDEX_FILL_H
#define OSW_LIBRARY_INDEX_FILL_H

#include "../shared/picking.h"

struct osw_index_fill {
    struct osw_slices out;
    const osw_tensor *index;
    struct osw_element element; /* the number as one of out */
};

/* The slice that entry k of the index names: negative ones count from the end.
 * -1: there is none.
 */
static inline int64_t osw_index_fill_slice(const struct osw_index_fill *f,
                                           int64_t k)
{
    int64_t i = osw_get_int(f->index, k);

    i += i < 0 ? f->out.n : 0;
    return i >= 0 && i < f->out.n ? i : -1;
}

/* On the host. */
static inline int osw_index_fill_in_range(const struct osw_index_fill *f)
{
    for (int64_t k = 0; k < osw_numel(f->index); k++)
        if (osw_index_fill_slice(f, k) < 0)
            return 0;
    return 1;
}

static inline int osw_index_fill_open(const osw_call *call,
                                      struct osw_index_fill *f)
{
    osw_tensor *out = osw_output_alias(call, 0, 0);
    int32_t dim;

    if (!out)
        return OSW_ERROR;
    f->index = osw_arg_tensor(call, 2);
    if (!f->index || f->index->ndim > 1 || !osw_picking_is_index(f->index))
        return osw_error(call, "expected a vector of indices");
    if (out->dtype.code == OSW_COMPLEX)
        return OSW_UNSUPPORTED;
    dim = osw_rows_dim(osw_arg_int(call, 1, 0), out->ndim);
    if (dim < 0)
        return osw_error(call, "no such dimension");
    f->out = osw_slices_of(out, dim);
    f->element = osw_element_arg(call, 3, out->dtype);
    return 0;
}

#endif /* OSW_LIBRARY_INDEX_FILL_H */
