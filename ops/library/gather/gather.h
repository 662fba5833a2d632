/* ops/library/gather/gather.h - (self, dim, index): out[i, j, ...] =
 * self[index[i, j, ...], j, ...] for dim 0
 */
#ifndef OSW_LIBRARY_GATHER_H
#define OSW_LIBRARY_GATHER_H

#include "../shared/picking.h"

struct osw_gather {
    const osw_tensor *self;
    struct osw_rows index, out; /* along dim */
    int64_t n, stride;          /* of self in dim */
};

static inline int osw_gather_open(const osw_call *call, struct osw_gather *g)
{
    const osw_tensor *index = osw_arg_tensor(call, 2);
    osw_tensor *out;
    int32_t dim;

    g->self = osw_arg_tensor(call, 0);
    if (!g->self || !index)
        return osw_error(call, "expected a tensor and an index");
    if (index->ndim != g->self->ndim || !osw_picking_is_index(index)) {
        /* Torch takes any empty index, and a number as a vector of one. */
        if (osw_numel(index) == 0 || index->ndim + g->self->ndim == 1)
            return OSW_UNSUPPORTED;
        return osw_error(call, "expected an index of as many dimensions");
    }
    dim = osw_rows_dim(osw_arg_int(call, 1, 0), g->self->ndim);
    if (dim < 0)
        return osw_error(call, "no such dimension");
    for (int32_t d = 0; d < index->ndim; d++)
        if (d != dim && index->shape[d] > g->self->shape[d])
            return osw_error(call, "index is larger than self");
    out = osw_output(call, 0, g->self->dtype, index->ndim, index->shape, NULL);
    if (!out)
        return OSW_ERROR;
    g->index = osw_rows_of(index, dim);
    g->out = osw_rows_of(out, dim);
    g->n = g->self->ndim ? g->self->shape[dim] : 1;
    g->stride = g->self->ndim ? g->self->strides[dim] : 0;
    return 0;
}

/* Offset in self of the first element of a row, counted in the index's shape:
 * self may be larger there.
 */
static inline int64_t osw_gather_self(const struct osw_gather *g, int64_t row)
{
    const osw_tensor *index = g->index.tensor;
    int64_t at = 0;

    for (int32_t d = index->ndim - 1; d >= 0; d--) {
        if (d == g->index.dim)
            continue;
        at += row % index->shape[d] * g->self->strides[d];
        row /= index->shape[d];
    }
    return at;
}

/* One row along dim. */
static inline void osw_gather_row(const struct osw_gather *g, int64_t row)
{
    int64_t self = osw_gather_self(g, row);
    int64_t index = osw_rows_offset(&g->index, row);
    int64_t out = osw_rows_offset(&g->out, row);
    size_t bytes = g->self->dtype.bits / 8;

    for (int64_t i = 0; i < g->out.n; i++) {
        const osw_tensor *t = g->index.tensor;
        int64_t k =
            osw_load_int(t->dtype, osw_at(t, index + i * g->index.stride));

        memcpy(osw_at(g->out.tensor, out + i * g->out.stride),
               osw_at(g->self, self + k * g->stride), bytes);
    }
}

#endif /* OSW_LIBRARY_GATHER_H */
