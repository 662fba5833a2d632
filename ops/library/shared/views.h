/* shared/views.h - parts of a tensor, seen as a tensor */
#ifndef OSW_LIBRARY_VIEWS_H
#define OSW_LIBRARY_VIEWS_H

#include "rules.h"

struct osw_view {
    osw_tensor t; /* its shape and strides are the arrays below */
    int64_t shape[OSW_RULE_DIMS], strides[OSW_RULE_DIMS];
};

/* The whole of t; 0 when it has too many dimensions. */
static inline int osw_view_of(struct osw_view *v, const osw_tensor *t)
{
    int32_t d;

    if (t->ndim > OSW_RULE_DIMS)
        return 0;
    v->t = *t;
    for (d = 0; d < t->ndim; d++) {
        v->shape[d] = t->shape[d];
        v->strides[d] = t->strides[d];
    }
    v->t.shape = v->shape;
    v->t.strides = v->strides;
    return 1;
}

/* A contiguous tensor, seen in another shape of as many elements. */
static inline void osw_view_as(struct osw_view *v, const osw_tensor *t,
                               int32_t ndim, const int64_t *shape)
{
    int64_t stride = 1;
    int32_t d;

    v->t = *t;
    v->t.ndim = ndim;
    for (d = ndim - 1; d >= 0; d--) {
        v->shape[d] = shape[d];
        v->strides[d] = stride;
        stride *= shape[d];
    }
    v->t.shape = v->shape;
    v->t.strides = v->strides;
}

/* Move the first element by n along dimension d. */
static inline void osw_view_skip(struct osw_view *v, int32_t d, int64_t n)
{
    v->t.byte_offset +=
        (uint64_t)(n * v->strides[d] * (int64_t)(v->t.dtype.bits / 8));
}

static inline void osw_view_narrow(struct osw_view *v, int32_t d, int64_t start,
                                   int64_t length)
{
    if (length > 0)
        osw_view_skip(v, d, start);
    v->shape[d] = length;
}

static inline void osw_view_flip(struct osw_view *v, int32_t d)
{
    if (v->shape[d] > 0)
        osw_view_skip(v, d, v->shape[d] - 1);
    v->strides[d] = -v->strides[d];
}

/* Element i of dimension d: one dimension less. */
static inline void osw_view_select(struct osw_view *v, int32_t d, int64_t i)
{
    osw_view_narrow(v, d, i, 1);
    for (v->t.ndim--; d < v->t.ndim; d++) {
        v->shape[d] = v->shape[d + 1];
        v->strides[d] = v->strides[d + 1];
    }
}

/* May two elements of t lie in one place?  Not where each dimension, by their
 * strides, steps over all that the smaller ones reach; else 1.
 */
static inline int osw_view_overlaps(const osw_tensor *t)
{
    int64_t size[OSW_RULE_DIMS], step[OSW_RULE_DIMS], reach = 0;
    int n = 0, i;

    if (t->ndim > OSW_RULE_DIMS)
        return 1;
    for (int32_t d = 0; d < t->ndim; d++) {
        int64_t by = t->strides[d] < 0 ? -t->strides[d] : t->strides[d];

        if (t->shape[d] == 0)
            return 0;
        if (t->shape[d] == 1)
            continue;
        for (i = n++; i > 0 && step[i - 1] > by; i--) {
            size[i] = size[i - 1];
            step[i] = step[i - 1];
        }
        size[i] = t->shape[d];
        step[i] = by;
    }
    for (i = 0; i < n; i++) {
        if (step[i] <= reach)
            return 1;
        reach += step[i] * (size[i] - 1);
    }
    return 0;
}

/* Does `from` broadcast to the very shape of `to`? */
static inline int osw_view_fits(const osw_tensor *to, const osw_tensor *from)
{
    int64_t shape[OSW_RULE_DIMS];
    int32_t ndim = to->ndim;

    if (ndim > OSW_RULE_DIMS || from->ndim > ndim)
        return 0;
    memcpy(shape, to->shape, sizeof(int64_t) * (size_t)ndim);
    return osw_rule_broadcast(from, &ndim, shape) &&
           !memcmp(shape, to->shape, sizeof(int64_t) * (size_t)ndim);
}

/* Dimension i of an argument, counted from the end where negative; -1 when
 * there is none.
 */
static inline int32_t osw_view_dim(int64_t i, int32_t ndim)
{
    if (i < 0)
        i += ndim;
    return i >= 0 && i < ndim ? (int32_t)i : -1;
}

/* A list of integers: at most `most`; the number of them, -1 for no such. */
static inline int32_t osw_view_list(const osw_call *call, int arg,
                                    int64_t *list, int32_t most)
{
    const osw_arg *a = osw_arg_at(call, arg);
    uint32_t i;

    if (a->tag == OSW_ARG_INT && most > 0) {
        list[0] = a->u.i;
        return 1;
    }
    if (a->tag != OSW_ARG_LIST || a->n > (uint32_t)most)
        return -1;
    for (i = 0; i < a->n; i++) {
        if (a->u.items[i].tag != OSW_ARG_INT)
            return -1;
        list[i] = a->u.items[i].u.i;
    }
    return (int32_t)a->n;
}

/* The dtype that argument `arg` asks for, t where it is None. */
static inline osw_dtype osw_view_dtype(const osw_call *call, int arg,
                                       osw_dtype t)
{
    const osw_arg *a = osw_arg_at(call, arg);

    return a->tag == OSW_ARG_DTYPE ? a->u.dtype : t;
}

#endif /* OSW_LIBRARY_VIEWS_H */
