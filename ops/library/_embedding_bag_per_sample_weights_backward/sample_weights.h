/* ops/library/_embedding_bag_per_sample_weights_backward/sample_weights.h -
 * (grad, weight, indices, offsets, offset2bag, mode, padding_idx): of each
 * index the product of its bag's gradient with its row of weight
 */
#ifndef OSW_LIBRARY_SAMPLE_WEIGHTS_H
#define OSW_LIBRARY_SAMPLE_WEIGHTS_H

#include "../shared/bags.h"

struct sample_weights {
    const osw_tensor *grad;    /* [n_bags, width] */
    const osw_tensor *weight;  /* [n_weights, width] */
    const osw_tensor *indices; /* [n] */
    const osw_tensor *offsets;
    const osw_tensor *bag_of; /* [n]; empty: offsets say it */
    int64_t n, n_bags, n_weights, width;
    int64_t padding; /* an index whose product is 0 */
    osw_tensor *out; /* [n] */
};

static inline int sample_weights_open(const osw_call *call,
                                      struct sample_weights *w)
{
    w->grad = osw_arg_tensor(call, 0);
    w->weight = osw_arg_tensor(call, 1);
    w->indices = osw_arg_tensor(call, 2);
    w->offsets = osw_arg_tensor(call, 3);
    w->bag_of = osw_arg_tensor(call, 4);
    w->padding = osw_arg_int(call, 6, -1);
    if (!w->grad || !w->weight || w->grad->ndim != 2 || w->weight->ndim != 2 ||
        w->grad->shape[1] != w->weight->shape[1] ||
        !osw_bag_is_list(w->indices) || !osw_bag_is_list(w->offsets) ||
        !osw_bag_is_list(w->bag_of))
        return osw_error(call, "expected a gradient and a weight of one width, "
                               "and lists of indices");
    w->n = w->indices->shape[0];
    w->n_bags = w->grad->shape[0];
    w->n_weights = w->weight->shape[0];
    w->width = w->grad->shape[1];
    if (osw_arg_int(call, 5, 0) != 0 ||
        (w->bag_of->shape[0] && w->bag_of->shape[0] != w->n))
        return osw_error(call, "expected a mode of 0, and as many bags as "
                               "indices");
    if (!osw_rows_is_float(w->grad) ||
        !osw_convert_same(w->grad->dtype, w->weight->dtype))
        return OSW_UNSUPPORTED;
    w->out = osw_output(call, 0, w->grad->dtype, 1, &w->n, NULL);
    return w->out ? 0 : OSW_ERROR;
}

/* On a processor: the bag and the row of weight of index i; -1: its product is
 * 0; -2: one of them is out of range.
 */
static inline int64_t sample_weights_row(const struct sample_weights *w,
                                         int64_t i, int64_t *bag)
{
    int64_t row = osw_bag_entry(w->indices, i);

    if (row == w->padding)
        return -1;
    *bag = osw_bag_of(w->offsets, w->bag_of, w->n_bags, i);
    return row < 0 || row >= w->n_weights || *bag < 0 || *bag >= w->n_bags
               ? -2
               : row;
}

#endif /* OSW_LIBRARY_SAMPLE_WEIGHTS_H */
