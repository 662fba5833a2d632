/* ops/library/index_fill___int_Scalar/index_fill.h - (self, dim, index, value):
 * the slices of self that the index names become one number
 */
#ifndef OSW_LIBRARY_INDEX_FILL_H
#define OSW_LIBRARY_INDEX_FILL_H

#include "../shared/picking.h"

struct osw_index_fill {
    struct osw_slices out;
    const osw_tensor *index;
    unsigned char element[16]; /* the number as an element of out */
};

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
    memset(f->element, 0, sizeof(f->element));
    osw_store(out->dtype, f->element, osw_arg_float(call, 3, 0.0));
    return 0;
}

#endif /* OSW_LIBRARY_INDEX_FILL_H */
