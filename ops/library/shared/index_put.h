/* shared/index_put.h - (self, indices, values, accumulate): a copy of self, or
 * self itself, in which the values stand where the indices point, or are added
 */
#ifndef OSW_LIBRARY_INDEX_PUT_H
#define OSW_LIBRARY_INDEX_PUT_H

#include "convert.h"
#include "indexing.h"
#include "rows.h"

struct osw_index_put {
    const osw_tensor *self, *values; /* values broadcast to what is picked */
    osw_tensor *out;
    struct osw_index x; /* in out */
    int accumulate;
};

static inline int osw_index_put_open(const osw_call *call,
                                     struct osw_index_put *a, int in_place)
{
    int64_t shape[3 * OSW_RULE_DIMS];
    int32_t ndim;
    int rc;

    a->self = osw_arg_tensor(call, 0);
    a->values = osw_arg_tensor(call, 2);
    a->accumulate = osw_arg_int(call, 3, 0) != 0;
    if (!a->self || !a->values)
        return osw_error(call, "expected tensors");
    if (!osw_convert_same(a->self->dtype, a->values->dtype))
        return osw_error(call, "expected one dtype");
    if (osw_rule_category(a->self->dtype) < (a->accumulate ? 1 : 0))
        return OSW_UNSUPPORTED;
    if (in_place && !osw_is_contiguous(a->self))
        return OSW_UNSUPPORTED;
    a->out = in_place ? osw_output_alias(call, 0, 0)
                      : osw_output(call, 0, a->self->dtype, a->self->ndim,
                                   a->self->shape, NULL);
    if (!a->out)
        return OSW_ERROR;
    rc = osw_index_open(call, &a->x, a->out);
    if (rc)
        return rc;
    ndim = a->x.picked_ndim;
    if (ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    memcpy(shape, a->x.picked, sizeof(shape));
    if (!osw_rule_broadcast(a->values, &ndim, shape) ||
        ndim != a->x.picked_ndim ||
        memcmp(shape, a->x.picked, sizeof(int64_t) * (size_t)ndim))
        return osw_error(call, "values do not broadcast to the indices");
    return 0;
}

/* Offset in values of element i of what is picked. */
static inline int64_t osw_index_put_value(const struct osw_index_put *a,
                                          int64_t i)
{
    return osw_offset_in(a->values, a->x.picked_ndim, a->x.picked, i);
}

/* The dimensions that follow the indexed ones, without the last of them, which
 * has *n elements, *step apart in out and *value_step in values.
 */
static inline struct osw_index_dims
osw_index_put_rows(const struct osw_index_put *a, int64_t *n, int64_t *step,
                   int64_t *value_step)
{
    const osw_tensor *v = a->values;
    struct osw_index_dims outer = a->x.after;

    *n = 1;
    *step = *value_step = 0;
    if (outer.n) {
        *n = outer.shape[--outer.n];
        *step = outer.strides[outer.n];
        outer.numel = *n ? outer.numel / *n : 0;
        if (v->ndim && v->shape[v->ndim - 1] != 1)
            *value_step = v->strides[v->ndim - 1];
    }
    return outer;
}

#endif /* OSW_LIBRARY_INDEX_PUT_H */
