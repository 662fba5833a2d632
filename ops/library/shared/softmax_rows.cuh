/* shared/softmax_rows.cuh - what the fast kernels of softmax share: rows,
 * and their chunks
 */
#ifndef OSW_LIBRARY_SOFTMAX_ROWS_CUH
#define OSW_LIBRARY_SOFTMAX_ROWS_CUH

#include "softmax_formulas.cuh"
#include "strided.cuh"

struct osw_softmax_view {
    struct osw_row_view x, y; /* y: output, of the backward forms; else x */
    struct osw_row_view out;
    int keep; /* slots of each row that have room in shared memory */
};

template <class T>
__device__ static inline T *osw_softmax_row_at(const struct osw_row_view &v,
                                               int64_t row)
{
    return (T *)v.outer.data + osw_strided_offset(&v.outer, row);
}

template <class F, class T, class S>
__device__ static inline osw_chunk<T>
osw_softmax_chunk(S s, const osw_chunk<T> &x, const osw_chunk<T> &y)
{
    enum { N = osw_chunk<T>::N };
    float a[N], b[N];
    osw_chunk<T> out;

    osw_chunk_to_floats(x, a);
    osw_chunk_to_floats(y, b);
#pragma unroll
    for (int e = 0; e < N; e += 2)
        osw_pack_two(&out.v[e], F::value(s, a[e], b[e]),
                     F::value(s, a[e + 1], b[e + 1]));
    return out;
}

template <class F, class T>
__device__ static inline void osw_softmax_add(typename F::State &s,
                                              const osw_chunk<T> &x,
                                              const osw_chunk<T> &y)
{
    float a[osw_chunk<T>::N], b[osw_chunk<T>::N];

    osw_chunk_to_floats(x, a);
    osw_chunk_to_floats(y, b);
    F::add(s, a, b);
}

/* Several at once, which takes fewer steps; those of TWO, whose sums are in
 * double, one by one: their terms take too many registers.
 */
template <class F, class T, int C>
__device__ static inline void osw_softmax_add(typename F::State &s,
                                              const osw_chunk<T> (&x)[C],
                                              const osw_chunk<T> (&y)[C])
{
    enum { N = osw_chunk<T>::N };
    float a[C * N];

#pragma unroll
    for (int i = 0; i < C; i++)
        if (F::TWO)
            osw_softmax_add<F, T>(s, x[i], y[i]);
        else
            osw_chunk_to_floats(x[i], *(float(*)[N])(a + i * N));
    if (!F::TWO)
        F::add(s, a, a);
}

#endif /* OSW_LIBRARY_SOFTMAX_ROWS_CUH */
