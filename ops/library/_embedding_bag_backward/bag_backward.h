/* ops/library/_embedding_bag_backward/bag_backward.h - (grad, indices, offsets,
 * offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode,
 * sparse, per_sample_weights, padding_idx): rows of grad, added up where the
 * rows of their bags came from
 */
#ifndef OSW_LIBRARY_BAG_BACKWARD_H
#define OSW_LIBRARY_BAG_BACKWARD_H

#include "../shared/bags.h"

enum { BAG_SUM, BAG_MEAN, BAG_MAX }; /* mode */

struct bag_back {
    const osw_tensor *grad;    /* [n_bags, width] */
    const osw_tensor *indices; /* [n] */
    const osw_tensor *offsets;
    const osw_tensor *bag_of;  /* [n]; empty: offsets say it */
    const osw_tensor *sizes;   /* [n_bags], of mode mean and max */
    const osw_tensor *largest; /* [n_bags, width], of mode max */
    const osw_tensor *scales;  /* [n]; NULL: there are none */
    int mode;
    int by_frequency; /* divide by how often an index occurs (PyTorch on a
                         processor takes the count of another one) */
    int64_t n, n_bags, n_weights, width;
    int64_t padding; /* an index that gets nothing */
    osw_tensor *out; /* [n_weights, width] */
};

static inline int bag_back_read(const osw_call *call, struct bag_back *b)
{
    b->grad = osw_arg_tensor(call, 0);
    b->indices = osw_arg_tensor(call, 1);
    b->offsets = osw_arg_tensor(call, 2);
    b->bag_of = osw_arg_tensor(call, 3);
    b->sizes = osw_arg_tensor(call, 4);
    b->largest = osw_arg_tensor(call, 5);
    b->n_weights = osw_arg_int(call, 6, -1);
    b->by_frequency = osw_arg_int(call, 7, 0) != 0;
    b->mode = (int)osw_arg_int(call, 8, BAG_SUM);
    b->scales = osw_arg_tensor(call, 10);
    b->padding = osw_arg_int(call, 11, -1);
    if (!b->grad || b->grad->ndim != 2 || !osw_bag_is_list(b->indices) ||
        !osw_bag_is_list(b->offsets) || !osw_bag_is_list(b->bag_of) ||
        !osw_bag_is_list(b->sizes) || !b->largest || b->n_weights < 0)
        return osw_error(call, "expected a gradient of two dimensions, and "
                               "lists of indices");
    if (!osw_rows_is_float(b->grad) || osw_arg_int(call, 9, 0))
        return OSW_UNSUPPORTED; /* sparse: the result is no dense tensor */
    b->n = b->indices->shape[0];
    b->n_bags = b->grad->shape[0];
    b->width = b->grad->shape[1];
    if (b->mode < BAG_SUM || b->mode > BAG_MAX ||
        (b->bag_of->shape[0] && b->bag_of->shape[0] != b->n) ||
        (b->mode != BAG_SUM && b->sizes->shape[0] != b->n_bags) ||
        (b->mode == BAG_MAX &&
         (b->largest->ndim != 2 || b->largest->shape[0] != b->n_bags ||
          b->largest->shape[1] != b->width)) ||
        (b->scales && (b->mode != BAG_SUM || b->scales->ndim != 1 ||
                       b->scales->shape[0] != b->n)))
        return osw_error(call, "expected a mode of 0, 1 or 2, and lists that "
                               "fit the indices and the bags");
    return 0;
}

static inline int bag_back_open(const osw_call *call, struct bag_back *b)
{
    int rc = bag_back_read(call, b);
    int64_t shape[2];

    if (rc)
        return rc;
    shape[0] = b->n_weights;
    shape[1] = b->width;
    b->out = osw_output(call, 0, b->grad->dtype, 2, shape, NULL);
    return b->out ? 0 : OSW_ERROR;
}

/* On a processor: the bag of index i. */
static inline int64_t bag_back_bag(const struct bag_back *b, int64_t i)
{
    return osw_bag_of(b->offsets, b->bag_of, b->n_bags, i);
}

/* What index i counts, but for its frequency. */
static inline double bag_back_scale(const struct bag_back *b, int64_t i,
                                    int64_t bag)
{
    double scale = b->scales ? osw_get(b->scales, i) : 1.0;

    return b->mode == BAG_MEAN ? scale / (double)osw_bag_entry(b->sizes, bag)
                               : scale;
}

/* The row of weight that was the largest of a bag in column col. */
static inline int64_t bag_back_largest(const struct bag_back *b, int64_t bag,
                                       int64_t col)
{
    return osw_get_int(b->largest, bag * b->width + col);
}

static inline int bag_back_check(const osw_call *call, const struct bag_back *b)
{
    int ok = b->mode == BAG_MAX
                 ? osw_picking_in_range(b->largest, b->n_weights)
                 : osw_picking_in_range(b->indices, b->n_weights);

    for (int64_t i = 0; ok && b->mode != BAG_MAX && i < b->n; i++) {
        int64_t bag = bag_back_bag(b, i);

        ok = bag >= 0 && bag < b->n_bags;
    }
    return ok ? 0 : osw_error(call, "index or bag is out of range");
}

#endif /* OSW_LIBRARY_BAG_BACKWARD_H */
