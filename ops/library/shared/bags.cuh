/* shared/bags.cuh - bags of indices, in kernels */
#ifndef OSW_LIBRARY_BAGS_CUH
#define OSW_LIBRARY_BAGS_CUH

#include "bags.h"

/* A list of i64 or i32. */
struct osw_bag_entries {
    char *data;
    int64_t n, step;
    int bits;

    __device__ int64_t get(int64_t i) const
    {
        return bits == 64 ? ((const int64_t *)data)[i * step]
                          : (int64_t)((const int32_t *)data)[i * step];
    }
};

static inline osw_bag_entries osw_bag_entries_of(const osw_tensor *t)
{
    return {(char *)osw_data(t), t->shape[0], t->strides[0], t->dtype.bits};
}

/* As osw_bag_of(). */
static __device__ inline int64_t osw_bag_at(const osw_bag_entries &offsets,
                                            const osw_bag_entries &bag_of,
                                            int64_t n_bags, int64_t i)
{
    int64_t low = 0, high = offsets.n;

    if (bag_of.n)
        return bag_of.get(i);
    while (low < high) {
        int64_t middle = (low + high) / 2;

        if (offsets.get(middle) <= i)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1 < n_bags ? low - 1 : n_bags - 1;
}

#endif /* OSW_LIBRARY_BAGS_CUH */
