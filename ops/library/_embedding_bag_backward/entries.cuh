/* ops/library/_embedding_bag_backward/entries.cuh - lists of indices, in
 * kernels */
#ifndef OSW_LIBRARY_BAG_ENTRIES_CUH
#define OSW_LIBRARY_BAG_ENTRIES_CUH

#include "bag_backward.h"

/* A list of i64 or i32. */
struct bag_entries {
    char *data;
    int64_t step;
    int bits;

    __device__ int64_t get(int64_t i) const
    {
        return bits == 64 ? ((const int64_t *)data)[i * step]
                          : (int64_t)((const int32_t *)data)[i * step];
    }
};

static inline bag_entries bag_entries_of(const osw_tensor *t)
{
    /* an output of two dimensions is contiguous */
    return {(char *)osw_data(t), t->ndim == 1 ? t->strides[0] : 1,
            t->dtype.bits};
}

#endif /* OSW_LIBRARY_BAG_ENTRIES_CUH */
