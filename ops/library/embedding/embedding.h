/* ops/library/embedding/embedding.h - (weight, indices, ...): rows of weight */
#ifndef OSW_LIBRARY_EMBEDDING_H
#define OSW_LIBRARY_EMBEDDING_H

#include "../shared/picking.h"

enum { OSW_EMBEDDING_DIMS = 64 };

struct osw_embedding {
    const osw_tensor *weight;  /* [n, width] */
    const osw_tensor *indices; /* any shape */
    osw_tensor *out;           /* [shape of indices, width] */
    /* out once more, as [numel(indices), width] */
    osw_tensor flat;
    int64_t shape[2], strides[2];
};

static inline int osw_embedding_open(const osw_call *call,
                                     struct osw_embedding *e)
{
    int64_t shape[OSW_EMBEDDING_DIMS];
    int32_t ndim;

    e->weight = osw_arg_tensor(call, 0);
    e->indices = osw_arg_tensor(call, 1);
    if (!e->weight || !e->indices || e->weight->ndim != 2 ||
        e->indices->ndim >= OSW_EMBEDDING_DIMS ||
        !osw_picking_is_index(e->indices))
        return osw_error(call, "expected a matrix and integer indices");
    ndim = e->indices->ndim;
    for (int32_t d = 0; d < ndim; d++)
        shape[d] = e->indices->shape[d];
    shape[ndim] = e->weight->shape[1];
    e->out = osw_output(call, 0, e->weight->dtype, ndim + 1, shape, NULL);
    if (!e->out)
        return OSW_ERROR;
    e->shape[0] = osw_numel(e->indices);
    e->shape[1] = e->strides[0] = shape[ndim];
    e->strides[1] = 1;
    e->flat = *e->out;
    e->flat.ndim = 2;
    e->flat.shape = e->shape;
    e->flat.strides = e->strides;
    return 0;
}

#endif /* OSW_LIBRARY_EMBEDDING_H */
