/* ops/library/_embedding_bag/embedding_bag.h - (weight, indices, offsets,
 * scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset,
 * padding_idx): rows of weight, put together bag by bag
 *
 * Bag b has the indices from offsets[b] to offsets[b + 1], the last one those
 * up to the end; with include_last_offset there is an offset more, the end.
 * Outputs are the bags, the bag of each index, the size of each bag without
 * padding, and, of mode max, the index of each largest element: 0 in bags
 * without one, as in PyTorch on a processor.  Other modes have none of these.
 */
#ifndef OSW_LIBRARY_EMBEDDING_BAG_H
#define OSW_LIBRARY_EMBEDDING_BAG_H

#include "../shared/picking.h"

enum { BAG_SUM, BAG_MEAN, BAG_MAX }; /* mode */

struct bags {
    const osw_tensor *weight;  /* [n_weights, width] */
    const osw_tensor *indices; /* [n] */
    const osw_tensor *offsets;
    const osw_tensor *scales; /* [n]; NULL: there are none */
    int mode;
    int64_t n, n_bags, n_weights, width;
    int64_t padding; /* an index that does not count */
    osw_tensor *out; /* [n_bags, width] */
    osw_tensor *bag_of, *sizes, *largest;
};

/* The i-th entry of a list of i64 or i32. */
static inline int64_t bag_entry(const osw_tensor *t, int64_t i)
{
    const char *p = (const char *)osw_data(t);

    i *= t->ndim ? t->strides[0] : 0;
    return t->dtype.bits == 64 ? ((const int64_t *)p)[i]
                               : (int64_t)((const int32_t *)p)[i];
}

/* The same of an output, which is contiguous. */
static inline void bag_set(const osw_tensor *t, int64_t i, int64_t v)
{
    char *p = (char *)osw_data(t);

    if (t->dtype.bits == 64)
        ((int64_t *)p)[i] = v;
    else
        ((int32_t *)p)[i] = (int32_t)v;
}

static inline int64_t bag_begin(const struct bags *b, int64_t bag)
{
    return bag_entry(b->offsets, bag);
}

static inline int64_t bag_end(const struct bags *b, int64_t bag)
{
    return bag + 1 < b->offsets->shape[0] ? bag_entry(b->offsets, bag + 1)
                                          : b->n;
}

/* What the arguments say, and whether they go together. */
static inline int bags_read(const osw_call *call, struct bags *b)
{
    b->weight = osw_arg_tensor(call, 0);
    b->indices = osw_arg_tensor(call, 1);
    b->offsets = osw_arg_tensor(call, 2);
    b->scales = osw_arg_tensor(call, 6);
    b->mode = (int)osw_arg_int(call, 4, BAG_SUM);
    b->padding = osw_arg_int(call, 8, -1);
    if (!b->weight || !b->indices || !b->offsets || b->weight->ndim != 2 ||
        b->indices->ndim != 1 || b->offsets->ndim != 1 ||
        !osw_picking_is_index(b->indices) || !osw_picking_is_index(b->offsets))
        return osw_error(call, "expected a matrix, indices and offsets");
    if (!osw_rows_is_float(b->weight))
        return OSW_UNSUPPORTED;
    if (b->mode < BAG_SUM || b->mode > BAG_MAX)
        return osw_error(call, "expected a mode of 0, 1 or 2");
    if (b->scales && (b->mode != BAG_SUM || b->scales->ndim != 1 ||
                      b->scales->shape[0] != b->indices->shape[0]))
        return osw_error(call, "expected mode 0 and a weight per sample");
    b->n = b->indices->shape[0];
    b->n_weights = b->weight->shape[0];
    b->width = b->weight->shape[1];
    b->n_bags = b->offsets->shape[0] - (osw_arg_int(call, 7, 0) != 0);
    return b->n_bags < 0 ? osw_error(call, "expected the last offset") : 0;
}

static inline int bags_open(const osw_call *call, struct bags *b)
{
    int rc = bags_read(call, b);
    int64_t shape[2], n_largest[2];

    if (rc)
        return rc;
    shape[0] = b->n_bags;
    shape[1] = b->width;
    n_largest[0] = b->mode == BAG_MAX ? b->n_bags : 0;
    n_largest[1] = b->width;
    b->out = osw_output(call, 0, b->weight->dtype, 2, shape, NULL);
    b->bag_of = osw_output(call, 1, b->offsets->dtype, 1, &b->n, NULL);
    b->sizes = osw_output(call, 2, b->offsets->dtype, 1, &b->n_bags, NULL);
    b->largest = osw_output(call, 3, b->offsets->dtype,
                            b->mode == BAG_MAX ? 2 : 1, n_largest, NULL);
    return b->out && b->bag_of && b->sizes && b->largest ? 0 : OSW_ERROR;
}

/* On a processor: do offsets begin with 0 and rise to at most n, and are the
 * indices in range?
 */
static inline int bags_check(const osw_call *call, const struct bags *b)
{
    int64_t last = 0;

    if (!osw_picking_in_range(b->indices, b->n_weights))
        return osw_error(call, "index is out of range");
    for (int64_t i = 0; i < b->offsets->shape[0]; i++) {
        int64_t at = bag_entry(b->offsets, i);

        if (at < last || at > b->n || (i == 0 && at != 0))
            return osw_error(call, "expected offsets from 0 on that rise to at "
                                   "most the number of indices");
        last = at;
    }
    return 0;
}

/* The bag of each of its indices, and its size. */
static inline void bag_note(const struct bags *b, int64_t bag)
{
    int64_t size = 0;

    for (int64_t i = bag_begin(b, bag); i < bag_end(b, bag); i++) {
        bag_set(b->bag_of, i, bag);
        size += bag_entry(b->indices, i) != b->padding;
    }
    bag_set(b->sizes, bag, size);
}

#endif /* OSW_LIBRARY_EMBEDDING_BAG_H */
