/* shared/batch_norm_plain.cuh - channels as a user walks them first: a block to
 * each
 */
#ifndef OSW_LIBRARY_BATCH_NORM_PLAIN_CUH
#define OSW_LIBRARY_BATCH_NORM_PLAIN_CUH

#include "batch_norm.h"
#include "plain_rows.cuh"

/* Element i of a channel: its offset. */
static __device__ int64_t osw_plain_channel_at(const osw_image &m, int64_t c,
                                               int64_t i)
{
    uint32_t x = (uint32_t)i % (uint32_t)m.x,
             rest = (uint32_t)i / (uint32_t)m.x;

    return osw_image_offset(&m, rest / (uint32_t)m.y, c, rest % (uint32_t)m.y,
                            x);
}

template <class E>
__device__ typename osw_plain_math<E>::type
osw_plain_channel_get(const osw_image &m, int64_t c, int64_t i)
{
    return osw_plain_get<E>(m.data, m.dtype, osw_plain_channel_at(m, c, i));
}

/* f(e): launches with the type of elements; channels are counted in 32 bits. */
template <class F>
static int osw_plain_channels(const struct osw_batch_norm *b,
                              const osw_tensor *const *t, int n, F f)
{
    if (b->n > INT32_MAX)
        return OSW_UNSUPPORTED;
    return osw_plain_by_floats(t, n, f);
}

#endif /* OSW_LIBRARY_BATCH_NORM_PLAIN_CUH */
