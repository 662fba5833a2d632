/* shared/picking.h - slices of a tensor picked by an index
 *
 * A tensor, cut at one dimension, is [n_outer, n, inner].  index_select and
 * embedding copy whole slices, index_add and embedding's backward add them up.
 */
#ifndef OSW_LIBRARY_PICKING_H
#define OSW_LIBRARY_PICKING_H

#include "convert.h"
#include "element.h"
#include "rows.h"

struct osw_slices {
    const osw_tensor *tensor;
    int32_t dim;
    int64_t n_outer, n, inner;
    int64_t stride; /* between slices, in elements */
    int dense;      /* the inner elements are contiguous */
};

/* dim: from osw_rows_dim(). */
static inline struct osw_slices osw_slices_of(const osw_tensor *t, int32_t dim)
{
    struct osw_slices s = {t, dim, 1, 1, 1, 0, 1};

    if (t->ndim) {
        s.n = t->shape[dim];
        s.stride = t->strides[dim];
    }
    for (int32_t d = 0; d < dim; d++)
        s.n_outer *= t->shape[d];
    for (int32_t d = t->ndim - 1; d > dim; d--) {
        s.dense &= t->shape[d] == 1 || t->strides[d] == s.inner;
        s.inner *= t->shape[d];
    }
    return s;
}

/* Offset in elements of slice i in the outer-th part. */
static inline int64_t osw_slices_offset(const struct osw_slices *s,
                                        int64_t outer, int64_t i)
{
    int64_t at = i * s->stride;

    for (int32_t d = s->dim - 1; d >= 0; d--) {
        at += outer % s->tensor->shape[d] * s->tensor->strides[d];
        outer /= s->tensor->shape[d];
    }
    return at;
}

/* Offset of element j within a slice, dense or not. */
static inline int64_t osw_slices_inner(const struct osw_slices *s, int64_t j)
{
    int64_t at = 0;

    if (s->dense)
        return j;
    for (int32_t d = s->tensor->ndim - 1; d > s->dim; d--) {
        at += j % s->tensor->shape[d] * s->tensor->strides[d];
        j /= s->tensor->shape[d];
    }
    return at;
}

static inline void *osw_slices_at(const struct osw_slices *s, int64_t outer,
                                  int64_t i, int64_t j)
{
    return osw_at(s->tensor,
                  osw_slices_offset(s, outer, i) + osw_slices_inner(s, j));
}

static inline int osw_picking_is_index(const osw_tensor *t)
{
    return t->dtype.code == OSW_INT && t->dtype.bits >= 32;
}

/* Are all entries of an index in [0, n)? */
static inline int osw_picking_in_range(const osw_tensor *index, int64_t n)
{
    for (int64_t i = 0; i < osw_numel(index); i++) {
        int64_t at = osw_get_int(index, i);

        if (at < 0 || at >= n)
            return 0;
    }
    return 1;
}

/* out slice i = from slice index[i]: the reference.  Element by element, unless
 * both are dense.
 */
static inline int osw_picking_reference(const osw_call *call,
                                        const struct osw_slices *out,
                                        const struct osw_slices *from,
                                        const osw_tensor *index)
{
    size_t bytes = out->tensor->dtype.bits / 8;

    if (!osw_picking_in_range(index, from->n))
        return osw_error(call, "index is out of range");
    if (osw_numel(out->tensor) == 0)
        return 0;
    for (int64_t o = 0; o < out->n_outer; o++)
        for (int64_t i = 0; i < osw_numel(index); i++) {
            int64_t k = osw_get_int(index, i);

            if (out->dense && from->dense) {
                memcpy(osw_slices_at(out, o, i, 0),
                       osw_slices_at(from, o, k, 0),
                       bytes * (size_t)out->inner);
                continue;
            }
            for (int64_t j = 0; j < out->inner; j++)
                memcpy(osw_slices_at(out, o, i, j),
                       osw_slices_at(from, o, k, j), bytes);
        }
    return 0;
}

static inline void osw_picking_slice(char *to, const struct osw_slices *from,
                                     int64_t outer, int64_t i)
{
    int64_t bytes = from->tensor->dtype.bits / 8;
    const char *p = (const char *)osw_slices_at(from, outer, i, 0);

    if (from->dense)
        memcpy(to, p, (size_t)(from->inner * bytes));
    else
        for (int64_t j = 0; j < from->inner; j++)
            memcpy(to + j * bytes, p + osw_slices_inner(from, j) * bytes,
                   (size_t)bytes);
}

/* The same by whole slices, over threads; out is contiguous. */
static inline int osw_picking_run(const osw_call *call, const osw_tensor *out,
                                  const struct osw_slices *from,
                                  const osw_tensor *index)
{
    int64_t n = osw_numel(index), bytes = from->tensor->dtype.bits / 8;
    int64_t *where = (int64_t *)osw_workspace(call, (size_t)n * 8 + 8);

    if (!where)
        return OSW_ERROR;
    if (!osw_picking_in_range(index, from->n))
        return osw_error(call, "index is out of range");
    if (osw_numel(out) == 0)
        return 0;
    for (int64_t i = 0; i < n; i++)
        where[i] = osw_get_int(index, i);
#pragma omp parallel for num_threads((int)call->n_threads) collapse(2)         \
    schedule(static) if (n * from->inner * from->n_outer > 65536)
    for (int64_t o = 0; o < from->n_outer; o++)
        for (int64_t i = 0; i < n; i++)
            osw_picking_slice((char *)osw_data(out) +
                                  (o * n + i) * from->inner * bytes,
                              from, o, where[i]);
    return 0;
}

/* --- adding up: entries of an index sorted by where they point --- */

struct osw_buckets {
    int64_t *start; /* [n + 1]: entries that point to k: order[start[k]...] */
    int64_t *order; /* [numel(index)] */
};

/* Counting sort of an index into [0, n); entries equal to `skip` are left out.
 * Takes the call's workspace.  0, or an error.
 */
static inline int osw_buckets_fill(const osw_call *call, struct osw_buckets *b,
                                   const osw_tensor *index, int64_t n,
                                   int64_t skip)
{
    int64_t n_index = osw_numel(index);

    b->start = (int64_t *)osw_workspace(call, (size_t)(n + 1 + n_index) * 8);
    if (!b->start)
        return OSW_ERROR;
    if (!osw_picking_in_range(index, n))
        return osw_error(call, "index is out of range");
    b->order = b->start + n + 1;
    memset(b->start, 0, (size_t)(n + 1) * 8);
    for (int64_t i = 0; i < n_index; i++) {
        int64_t k = osw_get_int(index, i);

        b->start[k + 1] += k != skip;
    }
    for (int64_t k = 0; k < n; k++)
        b->start[k + 1] += b->start[k];
    for (int64_t i = 0; i < n_index; i++) {
        int64_t k = osw_get_int(index, i);

        if (k != skip)
            b->order[b->start[k]++] = i;
    }
    for (int64_t k = n; k > 0; k--) /* back to where the buckets start */
        b->start[k] = b->start[k - 1];
    b->start[0] = 0;
    return 0;
}

#endif /* OSW_LIBRARY_PICKING_H */
