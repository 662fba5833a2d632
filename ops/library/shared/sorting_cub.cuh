/* shared/sorting_cub.cuh - rows in order by CUB: radix sorts of codes with
 * their places, which keep the order of equal elements
 *
 * Of contiguous rows.  One row is sorted by the whole device; several are
 * segments, a block each.  DeviceSegmentedSort is not used: with more than 500
 * segments it waits for the device, which a call must not do.
 */
#ifndef OSW_LIBRARY_SORTING_CUB_CUH
#define OSW_LIBRARY_SORTING_CUB_CUH

#include "sorting_codes.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

/* Where segment i begins. */
struct osw_sorting_segment_at {
    int64_t length;

    __host__ __device__ int operator()(int64_t i) const
    {
        return (int)(i * length);
    }
};

/* K: the type of keys, which may be wider than the element's bits, U. */
template <class U, class K>
static __global__ void
osw_sorting_encode(const __grid_constant__ osw_sorting_view v,
                   struct osw_sorting_order order, K *codes, int32_t *where)
{
    for (int64_t i = osw_plain_first<int64_t>(); i < v.n_rows * v.n;
         i += osw_plain_step<int64_t>()) {
        codes[i] = osw_sorting_code(order, ((const U *)v.x)[i]);
        where[i] = (int32_t)(i % v.n);
    }
}

template <class U>
static __global__ void
osw_sorting_pick(const __grid_constant__ osw_sorting_view v,
                 const int32_t *where)
{
    for (int64_t i = osw_plain_first<int64_t>(); i < v.n_rows * v.kept;
         i += osw_plain_step<int64_t>()) {
        int64_t row = i / v.kept, place = where[row * v.n + i % v.kept];

        ((U *)v.values)[i] = ((const U *)v.x)[row * v.n + place];
        v.places[i] = place;
    }
}

/* As CUB's functions: temp NULL asks for its bytes. */
template <class K>
static cudaError_t
osw_sorting_radix(void *temp, size_t *bytes, cub::DoubleBuffer<K> &codes,
                  cub::DoubleBuffer<int32_t> &where, int64_t n_rows, int64_t n,
                  int bits, cudaStream_t stream)
{
    auto at = thrust::make_transform_iterator(
        thrust::counting_iterator<int64_t>(0), osw_sorting_segment_at{n});

    if (n_rows == 1)
        return cub::DeviceRadixSort::SortPairs(temp, *bytes, codes, where,
                                               (int)n, 0, bits, stream);
    return cub::DeviceSegmentedRadixSort::SortPairs(
        temp, *bytes, codes, where, (int)(n_rows * n), (int)n_rows, at, at + 1,
        0, bits, stream);
}

/* Two sets of codes and places, then CUB's memory. */
template <class U, class K>
static int osw_sorting_cub_as(const osw_call *call, const struct osw_sorting &s,
                              const struct osw_sorting_view &v)
{
    static thread_local struct osw_last_bytes last;
    int64_t total = v.n_rows * v.n, room = (total + 63) / 64 * 64;
    cudaStream_t stream = (cudaStream_t)call->stream;
    int bits = (int)sizeof(U) * 8, rc;
    cub::DoubleBuffer<int32_t> where;
    cub::DoubleBuffer<K> codes;
    char *memory;

    if (!osw_last_bytes_are(&last, v.n_rows, v.n))
        osw_sorting_radix<K>(NULL, &last.bytes, codes, where, v.n_rows, v.n,
                             bits, stream);
    memory = (char *)osw_workspace(call, (size_t)room * 2 * (sizeof(K) + 4) +
                                             last.bytes);
    if (!memory)
        return OSW_ERROR;
    codes = cub::DoubleBuffer<K>((K *)memory, (K *)memory + room);
    memory += (size_t)room * 2 * sizeof(K);
    where =
        cub::DoubleBuffer<int32_t>((int32_t *)memory, (int32_t *)memory + room);
    memory += (size_t)room * 8;
    rc = osw_plain_launch(call, osw_sorting_encode<U, K>, total, v,
                          osw_sorting_order_of(&s), codes.Current(),
                          where.Current());
    if (rc)
        return rc;
    if (osw_sorting_radix<K>(memory, &last.bytes, codes, where, v.n_rows, v.n,
                             bits, stream))
        return osw_error(call, "CUB cannot sort it");
    return osw_plain_launch(call, osw_sorting_pick<U>, v.n_rows * v.kept, v,
                            (const int32_t *)where.Current());
}

/* rc: what opening the arguments returned. */
static inline int osw_sorting_cub(const osw_call *call,
                                  const struct osw_sorting &s, int rc)
{
    const osw_tensor *x = s.x.tensor;
    struct osw_sorting_view v;

    if (!rc)
        rc = osw_sorting_view_of(&v, s);
    if (rc || v.n_rows * v.kept == 0)
        return rc;
    if (!osw_is_contiguous(x) || v.n_rows * v.n > INT32_MAX ||
        (x->ndim && s.x.dim != x->ndim - 1))
        return OSW_UNSUPPORTED;
    switch (x->dtype.bits) {
    case 8:
        return osw_sorting_cub_as<uint8_t, uint16_t>(call, s, v);
    case 16:
        return osw_sorting_cub_as<uint16_t, uint16_t>(call, s, v);
    case 32:
        return osw_sorting_cub_as<uint32_t, uint32_t>(call, s, v);
    default:
        return osw_sorting_cub_as<uint64_t, uint64_t>(call, s, v);
    }
}

#endif /* OSW_LIBRARY_SORTING_CUB_CUH */
