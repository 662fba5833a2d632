/* shared/chunks.cuh - 16 bytes of elements at a time, and rows of them
 *
 * Memory is read and written in chunks: aligned runs of 16 bytes.  A row that
 * starts inside a chunk has `lead` elements of others before it in its first
 * one.  Chunks at the ends of a row are read whole (memory comes in multiples
 * of 16 bytes), but written element by element.
 */
#ifndef OSW_LIBRARY_CHUNKS_CUH
#define OSW_LIBRARY_CHUNKS_CUH

#include "launch.cuh"
#include "pack.cuh"

#include <stdint.h>

template <class T> struct osw_chunk {
    enum { N = 16 / (int)sizeof(T) };
    union {
        uint4 raw;
        T v[N];
    };
    __device__ osw_chunk() : raw()
    {
    }
};

template <class T>
__device__ static inline void osw_chunk_to_floats(const osw_chunk<T> &c,
                                                  float (&v)[osw_chunk<T>::N])
{
#pragma unroll
    for (int e = 0; e < osw_chunk<T>::N; e++)
        v[e] = osw_pack_float(c.v[e]);
}

/* An instruction an element: a bf16 is the upper half of a float. */
template <>
__device__ inline void osw_chunk_to_floats(const osw_chunk<osw_bf16> &c,
                                           float (&v)[8])
{
    const uint32_t words[4] = {c.raw.x, c.raw.y, c.raw.z, c.raw.w};

#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[2 * i] = __uint_as_float(words[i] << 16);
        v[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
    }
}

/* The sum of a chunk's elements, in pairs; they are overwritten. */
template <class T>
__device__ static inline float osw_chunk_in_pairs(float (&v)[osw_chunk<T>::N])
{
    enum { N = osw_chunk<T>::N };

#pragma unroll
    for (int step = 1; step < N; step *= 2)
#pragma unroll
        for (int e = 0; e + step < N; e += 2 * step)
            v[e] += v[e + step];
    return v[0];
}

/* Elements from `first` on of a row [n]: those beside it become `fill`. */
template <class T, class I>
__device__ static inline void osw_chunk_trim(osw_chunk<T> &c, I first, I n,
                                             T fill)
{
    enum { N = osw_chunk<T>::N };

    if (first >= 0 && first + N <= n)
        return;
#pragma unroll
    for (int e = 0; e < N; e++)
        if (first + e < 0 || first + e >= n)
            c.v[e] = fill;
}

/* Elements between the last chunk boundary and p. */
template <class T> OSW_HD static inline int osw_chunk_lead(const T *p)
{
    return (int)(((uintptr_t)p & 15) / sizeof(T));
}

/* Do p + i * stride, for all i, lie on chunk boundaries? */
static inline int osw_chunk_aligned(const void *p, int64_t stride,
                                    int64_t bytes)
{
    return ((uintptr_t)p & 15) == 0 && stride * bytes % 16 == 0;
}

/* Do chunks of x and out, along dimension dim of both, hold the same elements?
 * n: elements in a chunk of x.  Both have stride 1 there.
 */
static inline int osw_chunks_match(const osw_tensor *x, const osw_tensor *out,
                                   int32_t dim, int64_t n)
{
    int64_t lead_x = (int64_t)((uintptr_t)osw_data(x) / (x->dtype.bits / 8));
    int64_t lead_out =
        (int64_t)((uintptr_t)osw_data(out) / (out->dtype.bits / 8));
    int match = (lead_x - lead_out) % n == 0;

    for (int32_t d = 0; d < x->ndim; d++) {
        if (x->shape[d] == 1)
            continue;
        match &= d == dim ? x->strides[d] == 1 && out->strides[d] == 1
                          : (x->strides[d] - out->strides[d]) % n == 0;
    }
    return match;
}

/* Write the elements of a chunk, the first of them `first` of a row [n]; whole
 * chunks as what is not read again soon.
 */
template <class T, class I>
__device__ static inline void osw_chunk_store(T *row, I first, I n,
                                              const osw_chunk<T> &c)
{
    enum { N = osw_chunk<T>::N };

    if (first >= 0 && first + N <= n) {
        __stwt((uint4 *)(row + first), c.raw);
        return;
    }
#pragma unroll
    for (int e = 0; e < N; e++)
        if (first + e >= 0 && first + e < n)
            row[first + e] = c.v[e];
}

/* Call f with a value of the C++ type of a dtype: what f returns, or
 * OSW_UNSUPPORTED.
 */
template <class F> static inline int osw_by_dtype(osw_dtype t, F f)
{
    if (t.code == OSW_FLOAT && t.bits == 32)
        return f(float());
    if (t.code == OSW_FLOAT && t.bits == 16)
        return f(osw_f16());
    if (t.code == OSW_BFLOAT && t.bits == 16)
        return f(osw_bf16());
    return OSW_UNSUPPORTED;
}

#endif /* OSW_LIBRARY_CHUNKS_CUH */
