/* shared/elementwise_kernels.cuh - the kernels of elementwise.cuh:
 * formulas, and what runs them over packs and elements
 */
#ifndef OSW_LIBRARY_ELEMENTWISE_KERNELS_CUH
#define OSW_LIBRARY_ELEMENTWISE_KERNELS_CUH

#include "axes.cuh"
#include "elementwise_reference.h"
#include "pack.cuh"

#include <type_traits>

#define OSW_ELEMENTWISE_THREADS 256
#define OSW_ELEMENTWISE_DEPTH   4 /* packs of a tensor in flight, flat */
/* The same for rows, of elements of type E. */
#define OSW_ELEMENTWISE_ROWS(E) (sizeof(E) == 2 ? 4 : 2)

/* A formula is a struct with
 *     template <class T> static OSW_HD T of(T a, T b, T c);
 * for T float, double and int64_t, and what it changes of these:
 */
struct osw_formula {
    enum {
        n = 3,           /* operands of of(): 5 with the numbers d and e */
        tensors = 2,     /* operands that may be tensors, the first ones */
        on_integers = 1, /* of() is defined for int64_t */
        brief = 0        /* f16 and bf16 go through brief_of(), on floats */
    };
    template <class E> struct result { /* of operands of type E */
        typedef E type;
    };
};

/* Integers wrap. */
template <class T> OSW_HD T osw_plus(T a, T b)
{
    return a + b;
}

template <class T> OSW_HD T osw_minus(T a, T b)
{
    return a - b;
}

template <class T> OSW_HD T osw_times(T a, T b)
{
    return a * b;
}

template <> OSW_HD inline int64_t osw_plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

template <> OSW_HD inline int64_t osw_minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

template <> OSW_HD inline int64_t osw_times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* How a tensor is read or written along the innermost axis. */
enum osw_side_mode {
    OSW_SIDE_PACKED, /* every pack lies together, aligned */
    OSW_SIDE_SINGLE  /* in steps, element by element */
};

struct osw_side {
    char *data; /* NULL: a number */
    osw_dtype dtype;
    int32_t mode;
};

template <class T> struct osw_elementwise_job {
    struct osw_side x[OSW_RULE_OPERANDS], y;
    T number[OSW_RULE_OPERANDS];
    osw_dtype common;
    int64_t total;
    int32_t depth;      /* packs of each tensor that a thread handles */
    int32_t on_one_row; /* packs must stay on one */
};

/* What F makes of elements of type E: elements of type R, N at a time. */
template <class F, class E> struct osw_elementwise_types {
    typedef typename F::template result<E>::type R;
    enum { N = 16 / (sizeof(E) > sizeof(R) ? sizeof(E) : sizeof(R)) };
};

template <class F, class T> OSW_HD T osw_formula_exact(const T *x)
{
    if constexpr (F::n > 3)
        return F::template of<T>(x[0], x[1], x[2], x[3], x[4]);
    else
        return F::template of<T>(x[0], x[1], x[2]);
}

template <class F, class E> OSW_HD float osw_formula_of(const float *x)
{
    if constexpr (F::brief && sizeof(E) == 2)
        return F::brief_of(x[0], x[1], x[2]);
    else
        return osw_formula_exact<F>(x);
}

/* A number, or the one element of a tensor that all others repeat. */
template <class E>
OSW_HD float osw_elementwise_number(const osw_elementwise_job<float> &job,
                                    int i)
{
    return job.x[i].data ? osw_pack_float(*(const E *)job.x[i].data)
                         : job.number[i];
}

/* Two elements of the result; operands from K on are the same for all. */
template <class F, class E, int K, int N, class R>
OSW_HD void osw_elementwise_two(R *to, const osw_pack<E, N> *x, const float *c,
                                int j)
{
    float a[OSW_RULE_OPERANDS], b[OSW_RULE_OPERANDS];

#pragma unroll
    for (int k = 0; k < OSW_RULE_OPERANDS; k++) {
        a[k] = k < K ? osw_pack_float(x[k < K ? k : 0].v[j]) : c[k];
        b[k] = k < K ? osw_pack_float(x[k < K ? k : 0].v[j + 1]) : c[k];
    }
    osw_pack_two(to, osw_formula_of<F, E>(a), osw_formula_of<F, E>(b));
}

template <class F, class E, int K, int N, class R>
OSW_HD void osw_elementwise_pack(osw_pack<R, N> *to, const osw_pack<E, N> *x,
                                 const float *c)
{
#pragma unroll
    for (int j = 0; j < N; j += 2)
        osw_elementwise_two<F, E, K, N>(&to->v[j], x, c, j);
}

/* --- flat --- */

/* What does not fill a pack, an element per thread. */
template <class F, class E, int K>
__device__ void osw_flat_rest(const osw_elementwise_job<float> &job,
                              const float *c, int64_t at)
{
    typedef typename osw_elementwise_types<F, E>::R R;
    float x[OSW_RULE_OPERANDS];

    for (int k = 0; k < OSW_RULE_OPERANDS; k++)
        x[k] = k < K ? osw_pack_float(((const E *)job.x[k].data)[at]) : c[k];
    ((R *)job.y.data)[at] = osw_pack_as<R>(osw_formula_of<F, E>(x));
}

template <class F, class E, int K>
__global__ void __launch_bounds__(OSW_ELEMENTWISE_THREADS)
    osw_flat_kernel(const __grid_constant__ osw_elementwise_job<float> job)
{
    typedef typename osw_elementwise_types<F, E>::R R;
    constexpr int N = osw_elementwise_types<F, E>::N, U = OSW_ELEMENTWISE_DEPTH;
    const int64_t packs = job.total / N;
    const int64_t first =
        (int64_t)blockIdx.x * job.depth * OSW_ELEMENTWISE_THREADS + threadIdx.x;
    osw_pack<E, N> x[U][K];
    float c[OSW_RULE_OPERANDS];

#pragma unroll
    for (int u = 0; u < U; u++) {
        int64_t i = first + u * OSW_ELEMENTWISE_THREADS;

        if (u >= job.depth || i >= packs)
            continue;
#pragma unroll
        for (int k = 0; k < K; k++)
            x[u][k] = ((const osw_pack<E, N> *)job.x[k].data)[i];
    }
    for (int k = K; k < OSW_RULE_OPERANDS; k++)
        c[k] = osw_elementwise_number<E>(job, k);
#pragma unroll
    for (int u = 0; u < U; u++) {
        int64_t i = first + u * OSW_ELEMENTWISE_THREADS;
        osw_pack<R, N> y;

        if (u >= job.depth || i >= packs)
            continue;
        osw_elementwise_pack<F, E, K, N>(&y, x[u], c);
        ((osw_pack<R, N> *)job.y.data)[i] = y;
    }
    if (blockIdx.x == 0 && packs * N + threadIdx.x < job.total)
        osw_flat_rest<F, E, K>(job, c, packs * N + threadIdx.x);
}

/* --- rows --- */

template <int K> struct osw_rows_job : osw_elementwise_job<float> {
    osw_path<uint64_t, K + 1, OSW_RULE_DIMS> path; /* the output first */
};

/* Where a pack begins: its first element, and its place in each tensor. */
template <int K> struct osw_rows_place {
    int64_t first, at[K + 1];
    int whole; /* all elements are there, on one row where that counts */
};

/* A pack is loaded as words, so that nothing has to wait for it yet. */
template <class E, int N> struct osw_rows_words {
    typedef osw_pack<uint32_t, N *(int)sizeof(E) / 4> type;
};

template <class E, int N>
OSW_HD typename osw_rows_words<E, N>::type osw_rows_pack(const E *from,
                                                         int64_t step)
{
    typename osw_rows_words<E, N>::type words;
    osw_pack<E, N> x;

#pragma unroll
    for (int j = 0; j < N; j++)
        x.v[j] = from[j * step];
    memcpy(&words, &x, sizeof(words));
    return words;
}

/* U packs of operand k. */
template <class E, int N, int K, int U>
__device__ void osw_rows_load(typename osw_rows_words<E, N>::type (*x)[K],
                              const osw_rows_job<K> &job,
                              const osw_rows_place<K> *place, int k)
{
    typedef typename osw_rows_words<E, N>::type words;
    const E *p = (const E *)job.x[k].data;
    int64_t step = job.path.step[0][k + 1];

    if (job.x[k].mode == OSW_SIDE_PACKED) {
#pragma unroll
        for (int u = 0; u < U; u++)
            if (place[u].whole)
                x[u][k] = *(const words *)(p + place[u].at[k + 1]);
    } else {
#pragma unroll
        for (int u = 0; u < U; u++)
            if (place[u].whole)
                x[u][k] = osw_rows_pack<E, N>(p + place[u].at[k + 1], step);
    }
}

template <class R, int N, int K>
__device__ void osw_rows_store(const osw_pack<R, N> *y,
                               const osw_rows_job<K> &job, int64_t at)
{
    R *to = (R *)job.y.data + at;

    if (job.y.mode == OSW_SIDE_PACKED) {
        *(osw_pack<R, N> *)to = *y;
        return;
    }
#pragma unroll
    for (int j = 0; j < N; j++)
        to[j * job.path.step[0][0]] = y->v[j];
}

/* A pack at the end of all, or on several rows: element by element. */
template <class F, class E, int K>
__device__ void osw_rows_ragged(const osw_rows_job<K> &job, const float *c,
                                int64_t first)
{
    typedef typename osw_elementwise_types<F, E>::R R;
    constexpr int N = osw_elementwise_types<F, E>::N;

#pragma unroll 1
    for (int64_t i = first; i < first + N && i < job.total; i++) {
        float x[OSW_RULE_OPERANDS];
        int64_t at[K + 1];

        osw_path_at(job.path, (uint64_t)i, at);
#pragma unroll
        for (int k = 0; k < OSW_RULE_OPERANDS; k++)
            x[k] = k < K ? osw_pack_float((
                               (const E *)job.x[k].data)[at[k < K ? k + 1 : 0]])
                         : c[k];
        ((R *)job.y.data)[at[0]] = osw_pack_as<R>(osw_formula_of<F, E>(x));
    }
}

template <class F, class E, int K>
__global__ void __launch_bounds__(OSW_ELEMENTWISE_THREADS)
    osw_rows_kernel(const __grid_constant__ osw_rows_job<K> job)
{
    typedef typename osw_elementwise_types<F, E>::R R;
    constexpr int N = osw_elementwise_types<F, E>::N,
                  U = OSW_ELEMENTWISE_ROWS(E);
    const int64_t start =
        (int64_t)blockIdx.x * job.depth * OSW_ELEMENTWISE_THREADS + threadIdx.x;
    osw_rows_place<K> place[U];
    typename osw_rows_words<E, N>::type x[U][K];
    float c[OSW_RULE_OPERANDS];

#pragma unroll
    for (int u = 0; u < U; u++) {
        int64_t i = (start + u * OSW_ELEMENTWISE_THREADS) * N;
        int64_t row;

        place[u].first = u < job.depth ? i : job.total;
        row = (int64_t)osw_path_at(job.path, (uint64_t)i, place[u].at);
        place[u].whole =
            place[u].first + N <= job.total &&
            (!job.on_one_row || row + N <= (int64_t)job.path.size[0]);
    }
#pragma unroll
    for (int k = 0; k < K; k++)
        osw_rows_load<E, N, K, U>(x, job, place, k);
    for (int k = K; k < OSW_RULE_OPERANDS; k++)
        c[k] = osw_elementwise_number<E>(job, k);
#pragma unroll
    for (int u = 0; u < U; u++) {
        osw_pack<E, N> in[K];
        osw_pack<R, N> y;

        if (place[u].whole) {
            memcpy(in, x[u], sizeof(in));
            osw_elementwise_pack<F, E, K, N>(&y, in, c);
            osw_rows_store<R, N, K>(&y, job, place[u].at[0]);
        } else {
            osw_rows_ragged<F, E, K>(job, c, place[u].first);
        }
    }
}

/* --- any --- */

template <class T> struct osw_any_job : osw_elementwise_job<T> {
    osw_path<uint64_t, OSW_AXES_TENSORS, OSW_RULE_DIMS> path;
};

template <class T>
OSW_HD T osw_any_read(const osw_any_job<T> &job, int i, int64_t at)
{
    const struct osw_side *s = &job.x[i];
    double v;

    if (!s->data)
        return job.number[i];
    if constexpr (std::is_same<T, int64_t>::value)
        return osw_rule_wrap(job.common,
                             osw_pack_load_int(s->dtype, s->data, at));
    v = osw_pack_load(s->dtype, s->data, at);
    if (!osw_rule_same(s->dtype, job.common))
        v = osw_rule_round(job.common, v);
    return (T)v;
}

template <class T>
OSW_HD void osw_any_write(const osw_any_job<T> &job, int64_t at, T v)
{
    osw_dtype t = job.y.dtype;
    uint64_t element[2] = {0, 0};

    if constexpr (std::is_same<T, int64_t>::value)
        osw_reference_store_int(t, element, v);
    else
        osw_store(t, element, (double)v);
    osw_pack_store(t, job.y.data, at, element[0]);
}

template <class F, class T>
__global__ void __launch_bounds__(OSW_ELEMENTWISE_THREADS)
    osw_any_kernel(const __grid_constant__ osw_any_job<T> job)
{
    int64_t i = (int64_t)blockIdx.x * OSW_ELEMENTWISE_THREADS + threadIdx.x;
    int64_t at[OSW_AXES_TENSORS];
    T x[OSW_RULE_OPERANDS];

    if (i >= job.total)
        return;
    osw_path_at(job.path, (uint64_t)i, at);
#pragma unroll
    for (int k = 0; k < OSW_RULE_OPERANDS; k++)
        x[k] = k < F::tensors ? osw_any_read(job, k, at[k + 1 < 3 ? k + 1 : 0])
                              : job.number[k];
    osw_any_write(job, at[0], osw_formula_exact<F>(x));
}

#endif /* OSW_LIBRARY_ELEMENTWISE_KERNELS_CUH */
