/* shared/indexing.cuh - advanced indexing in a kernel, as it is written first
 */
#ifndef OSW_LIBRARY_INDEXING_CUH
#define OSW_LIBRARY_INDEXING_CUH

#include "indexing.h"
#include "plain_copy.cuh"

/* An index tensor, in the common shape of all of them. */
struct osw_index_entries {
    const void *data;
    int bits;
    int64_t n, stride; /* of the dimension of self that it indexes */
    int64_t step[OSW_RULE_DIMS];
};

/* What is picked of self: [before, entries, after]. */
struct osw_index_view {
    osw_strided before, after;
    int64_t total, n_entries, n_after;
    int32_t n, ndim; /* index tensors, dimensions of their shape */
    int64_t shape[OSW_RULE_DIMS];
    struct osw_index_entries at[OSW_RULE_DIMS];
};

/* Where the i-th entry points to; negative ones count from the end. */
static __device__ inline int64_t osw_index_entry(const osw_index_view &v,
                                                 int64_t i)
{
    int64_t at = 0;

    for (int32_t k = 0; k < v.n; k++) {
        const struct osw_index_entries &e = v.at[k];
        int64_t p = 0, rest = i, entry;

        for (int32_t d = v.ndim - 1; d >= 0; d--) {
            p += rest % v.shape[d] * e.step[d];
            rest /= v.shape[d];
        }
        entry = e.bits == 64 ? ((const int64_t *)e.data)[p]
                             : (int64_t)((const int32_t *)e.data)[p];
        entry += entry < 0 ? e.n : 0;
        if (entry < 0 || entry >= e.n)
            __trap();
        at += entry * e.stride;
    }
    return at;
}

/* Where element i of what is picked lies in self. */
template <class I>
static __device__ int64_t osw_index_element(const osw_index_view &v, I i)
{
    int64_t after = i % (I)v.n_after;
    int64_t entry = i / (I)v.n_after % (I)v.n_entries;
    int64_t before = i / (I)v.n_after / (I)v.n_entries;

    return osw_strided_offset(&v.before, before) + osw_index_entry(v, entry) +
           osw_strided_offset(&v.after, after);
}

static inline void osw_index_push_entries(osw_index_view *v,
                                          const struct osw_index *x,
                                          int32_t dim)
{
    const osw_tensor *t = x->at[dim];
    struct osw_index_entries *e = &v->at[v->n++];
    int32_t lead = x->ndim - t->ndim;

    e->data = osw_data(t);
    e->bits = t->dtype.bits;
    e->n = x->self->shape[dim];
    e->stride = x->self->strides[dim];
    for (int32_t d = 0; d < t->ndim; d++)
        if (t->shape[d] != 1)
            e->step[lead + d] = t->strides[d];
}

static inline void osw_index_view_of(osw_index_view *v,
                                     const struct osw_index *x)
{
    for (int32_t d = 0; d < x->before.n; d++)
        osw_strided_push(&v->before, x->before.shape[d], x->before.strides[d]);
    for (int32_t d = 0; d < x->after.n; d++)
        osw_strided_push(&v->after, x->after.shape[d], x->after.strides[d]);
    for (int32_t d = 0; d < x->self->ndim; d++)
        if (x->at[d])
            osw_index_push_entries(v, x, d);
    v->ndim = x->ndim;
    memcpy(v->shape, x->shape, sizeof(v->shape));
    v->n_entries = x->numel;
    v->n_after = x->after.numel;
    v->total = x->before.numel * x->numel * x->after.numel;
}

#endif /* OSW_LIBRARY_INDEXING_CUH */
