/* shared/picking.cuh - rows of a matrix picked by an index, on the device
 *
 * An index that is out of range traps: nothing can be reported from there.
 */
#ifndef OSW_LIBRARY_PICKING_CUH
#define OSW_LIBRARY_PICKING_CUH

#include "picking.h"
#include "strided.cuh"

/* The `i`-th entry of an index into [0, n). */
__device__ static inline int64_t osw_pick_at(const struct osw_strided *index,
                                             int64_t i, int64_t n)
{
    const char *p = osw_strided_at(index, osw_strided_offset(index, i));
    int64_t k = index->dtype.bits == 64 ? *(const int64_t *)p
                                        : (int64_t) * (const int32_t *)p;

    if (k < 0 || k >= n)
        __trap();
    return k;
}

#endif /* OSW_LIBRARY_PICKING_CUH */
