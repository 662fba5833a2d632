/* shared/indexing.h - (self, indices, ...): advanced indexing
 *
 * A dimension with an index tensor is indexed, one with None is taken whole.
 * The index tensors broadcast to one shape.  It stands in what is picked where
 * the indexed dimensions stood if these are neighbours, else in front:
 *
 *     picked [before..., shape of the indices..., after...]
 */
#ifndef OSW_LIBRARY_INDEXING_H
#define OSW_LIBRARY_INDEXING_H

#include "views.h"

/* Some dimensions of self that are taken whole. */
struct osw_index_dims {
    int32_t n;
    int64_t numel;
    int64_t shape[OSW_RULE_DIMS], strides[OSW_RULE_DIMS];
};

struct osw_index {
    const osw_tensor *self;
    const osw_tensor *at[OSW_RULE_DIMS]; /* per dimension; NULL: whole */
    int32_t ndim;                        /* of the indices' common shape */
    int64_t shape[OSW_RULE_DIMS], numel; /* that shape */
    struct osw_index_dims before, after;
    int32_t picked_ndim;
    int64_t picked[3 * OSW_RULE_DIMS]; /* the shape of what is picked */
};

static inline int64_t osw_index_offset(const struct osw_index_dims *d,
                                       int64_t linear)
{
    int64_t at = 0;

    for (int32_t i = d->n - 1; i >= 0; i--) {
        at += linear % d->shape[i] * d->strides[i];
        linear /= d->shape[i];
    }
    return at;
}

static inline void osw_index_push(struct osw_index_dims *to,
                                  const osw_tensor *self, int32_t d)
{
    to->shape[to->n] = self->shape[d];
    to->strides[to->n++] = self->strides[d];
    to->numel *= self->shape[d];
}

/* Read the list of indices, and broadcast their shapes. */
static inline int osw_index_read(const osw_call *call, struct osw_index *x)
{
    const osw_arg *list = osw_arg_at(call, 1);
    int n_tensors = 0;

    if (list->tag != OSW_ARG_LIST || (int32_t)list->n > x->self->ndim)
        return osw_error(call, "expected at most one index per dimension");
    for (uint32_t i = 0; i < list->n; i++) {
        const osw_tensor *t = list->u.items[i].u.tensor;

        if (list->u.items[i].tag == OSW_ARG_NONE)
            continue;
        if (list->u.items[i].tag != OSW_ARG_TENSOR)
            return osw_error(call, "expected index tensors or None");
        if (t->dtype.code != OSW_INT || t->dtype.bits < 32)
            return OSW_UNSUPPORTED; /* masks: the size depends on the data */
        if (!osw_rule_broadcast(t, &x->ndim, x->shape))
            return osw_error(call, "index tensors do not broadcast");
        x->at[i] = t;
        n_tensors++;
    }
    return n_tensors ? 0 : OSW_UNSUPPORTED;
}

/* What argument 1 picks of self; x is all zeros. */
static inline int osw_index_open(const osw_call *call, struct osw_index *x,
                                 const osw_tensor *self)
{
    int64_t *shape = x->picked;
    int32_t first = -1, last = -1, n = 0, d;
    int together = 1, rc;

    x->self = self;
    if (!x->self || x->self->ndim > OSW_RULE_DIMS)
        return osw_error(call, "expected a tensor");
    rc = osw_index_read(call, x);
    if (rc)
        return rc;
    for (d = 0; d < x->self->ndim; d++)
        if (x->at[d]) {
            first = first < 0 ? d : first;
            last = d;
        }
    for (d = first; d <= last; d++)
        together &= x->at[d] != NULL;
    x->before.numel = x->after.numel = x->numel = 1;
    for (d = 0; d < x->self->ndim; d++)
        if (!x->at[d])
            osw_index_push(together && d < first ? &x->before : &x->after,
                           x->self, d);
    for (d = 0; d < x->before.n; d++)
        shape[n++] = x->before.shape[d];
    for (d = 0; d < x->ndim; d++) {
        x->numel *= x->shape[d];
        shape[n++] = x->shape[d];
    }
    for (d = 0; d < x->after.n; d++)
        shape[n++] = x->after.shape[d];
    x->picked_ndim = n;
    return 0;
}

/* The output of index.Tensor: NULL with *rc set where there is none. */
static inline osw_tensor *osw_index_pick(const osw_call *call,
                                         struct osw_index *x, int *rc)
{
    osw_tensor *out;

    *rc = osw_index_open(call, x, osw_arg_tensor(call, 0));
    if (*rc)
        return NULL;
    out = osw_output(call, 0, x->self->dtype, x->picked_ndim, x->picked, NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

/* Offset in self that the i-th entry of the indices points to; -1 when it is
 * out of range.  Negative indices count from the end.
 */
static inline int64_t osw_index_where(const struct osw_index *x, int64_t i)
{
    int64_t at = 0;

    for (int32_t d = 0; d < x->self->ndim; d++) {
        const osw_tensor *t = x->at[d];
        int64_t k;

        if (!t)
            continue;
        k = osw_load_int(t->dtype,
                         osw_at(t, osw_offset_in(t, x->ndim, x->shape, i)));
        if (k < 0)
            k += x->self->shape[d];
        if (k < 0 || k >= x->self->shape[d])
            return -1;
        at += k * x->self->strides[d];
    }
    return at;
}

#endif /* OSW_LIBRARY_INDEXING_H */
