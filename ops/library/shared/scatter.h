/* shared/scatter.h - (self, dim, index, src): a copy of self, or self itself,
 * in which out[index[i, j, ...], j, ...] = src[i, j, ...] for dim 0, or src is
 * added
 */
#ifndef OSW_LIBRARY_SCATTER_H
#define OSW_LIBRARY_SCATTER_H

#include "../shared/picking.h"

struct osw_scatter {
    const osw_tensor *self, *src;
    struct osw_rows index; /* along dim */
    osw_tensor *out;
};

static inline int osw_scatter_check(const osw_call *call,
                                    const struct osw_scatter *s, int32_t dim)
{
    const osw_tensor *index = s->index.tensor;

    for (int32_t d = 0; d < index->ndim; d++)
        if ((s->src && index->shape[d] > s->src->shape[d]) ||
            (d != dim && index->shape[d] > s->self->shape[d]))
            return osw_error(call, "index is larger than src or self");
    return 0;
}

static inline int osw_scatter_open_any(const osw_call *call,
                                       struct osw_scatter *s, int in_place)
{
    const osw_tensor *index = osw_arg_tensor(call, 2);
    int32_t dim;

    s->self = osw_arg_tensor(call, 0);
    s->src = osw_arg_tensor(call, 3);
    if (!s->self || !s->src || !index || !osw_picking_is_index(index) ||
        index->ndim != s->self->ndim || index->ndim != s->src->ndim)
        return osw_error(call, "expected an index and a src of as many "
                               "dimensions as self");
    if (!osw_convert_same(s->self->dtype, s->src->dtype))
        return osw_error(call, "expected one dtype");
    dim = osw_rows_dim(osw_arg_int(call, 1, 0), s->self->ndim);
    if (dim < 0)
        return osw_error(call, "no such dimension");
    s->index = osw_rows_of(index, dim);
    if (osw_scatter_check(call, s, dim))
        return OSW_ERROR;
    s->out = in_place ? osw_output_alias(call, 0, 0)
                      : osw_output(call, 0, s->self->dtype, s->self->ndim,
                                   s->self->shape, NULL);
    return s->out ? 0 : OSW_ERROR;
}

static inline int osw_scatter_open(const osw_call *call, struct osw_scatter *s)
{
    return osw_scatter_open_any(call, s, 0);
}

/* (self, dim, index, value): the number as an element of out. */
static inline int osw_scatter_open_value(const osw_call *call,
                                         struct osw_scatter *s,
                                         struct osw_element *element)
{
    const osw_tensor *index = osw_arg_tensor(call, 2);
    int32_t dim;

    s->self = osw_arg_tensor(call, 0);
    s->src = NULL;
    if (!s->self || !index || !osw_picking_is_index(index) ||
        index->ndim != s->self->ndim)
        return osw_error(call, "expected an index of as many dimensions as "
                               "self");
    if (s->self->dtype.code == OSW_COMPLEX)
        return OSW_UNSUPPORTED;
    dim = osw_rows_dim(osw_arg_int(call, 1, 0), s->self->ndim);
    if (dim < 0)
        return osw_error(call, "no such dimension");
    s->index = osw_rows_of(index, dim);
    if (osw_scatter_check(call, s, dim))
        return OSW_ERROR;
    *element = osw_element_arg(call, 3, s->self->dtype);
    s->out = osw_output(call, 0, s->self->dtype, s->self->ndim, s->self->shape,
                        NULL);
    return s->out ? 0 : OSW_ERROR;
}

/* To be added to: not complex numbers or bool. */
static inline int osw_scatter_open_add(const osw_call *call,
                                       struct osw_scatter *s, int in_place)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);

    if (self &&
        (self->dtype.code == OSW_COMPLEX || self->dtype.code == OSW_BOOL))
        return OSW_UNSUPPORTED;
    return osw_scatter_open_any(call, s, in_place);
}

/* Elements from one to the next along dim. */
static inline int64_t osw_scatter_step(const struct osw_scatter *s,
                                       const osw_tensor *t)
{
    return t->ndim ? t->strides[s->index.dim] : 0;
}

/* Offset in t of the first element of a row, counted in the index's shape: t
 * may be larger there.
 */
static inline int64_t osw_scatter_row(const struct osw_scatter *s,
                                      const osw_tensor *t, int64_t row)
{
    const osw_tensor *index = s->index.tensor;
    int64_t at = 0;

    for (int32_t d = index->ndim - 1; d >= 0; d--) {
        if (d == s->index.dim)
            continue;
        at += row % index->shape[d] * t->strides[d];
        row /= index->shape[d];
    }
    return at;
}

/* Slices of out along dim. */
static inline int64_t osw_scatter_n(const struct osw_scatter *s)
{
    return s->out->ndim ? s->out->shape[s->index.dim] : 1;
}

#endif /* OSW_LIBRARY_SCATTER_H */
