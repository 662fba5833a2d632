/* shared/bags.h - bags of indices: lists of i64 or i32, and the bag that an
 * index belongs to
 */
#ifndef OSW_LIBRARY_BAGS_H
#define OSW_LIBRARY_BAGS_H

#include "picking.h"

/* The i-th entry of a list. */
static inline int64_t osw_bag_entry(const osw_tensor *t, int64_t i)
{
    const char *p = (const char *)osw_data(t);

    i *= t->ndim ? t->strides[0] : 0;
    return t->dtype.bits == 64 ? ((const int64_t *)p)[i]
                               : (int64_t)((const int32_t *)p)[i];
}

static inline int osw_bag_is_list(const osw_tensor *t)
{
    return t && t->ndim == 1 && osw_picking_is_index(t);
}

/* The bag of index i: bag_of says it, or, where that is empty, it is the last
 * of n_bags that begins there or before.
 */
static inline int64_t osw_bag_of(const osw_tensor *offsets,
                                 const osw_tensor *bag_of, int64_t n_bags,
                                 int64_t i)
{
    int64_t low = 0, high = offsets->shape[0], bag;

    if (bag_of->shape[0])
        return osw_bag_entry(bag_of, i);
    while (low < high) {
        int64_t middle = (low + high) / 2;

        if (osw_bag_entry(offsets, middle) <= i)
            low = middle + 1;
        else
            high = middle;
    }
    bag = low - 1;
    return bag < n_bags ? bag : n_bags - 1;
}

#endif /* OSW_LIBRARY_BAGS_H */
