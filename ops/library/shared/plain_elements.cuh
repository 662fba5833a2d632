/* shared/plain_elements.cuh - elements and launches of plain kernels
 *
 * Downstream: plain.cuh, plain_copy.cuh, plain_rows.cuh, plain_picking.cuh and
 * the files <op>_plain.cu.
 */
#ifndef OSW_LIBRARY_PLAIN_ELEMENTS_CUH
#define OSW_LIBRARY_PLAIN_ELEMENTS_CUH

#include "elementwise_reference.h"
#include "strided.cuh"
#include "views.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

enum { OSW_PLAIN_THREADS = 256, OSW_PLAIN_TENSORS = 4 };

/* --- types of elements --- */

struct osw_plain_bool {
    uint8_t byte;
};

/* The type that elements of type E are computed in. */
template <class E> struct osw_plain_math {
    typedef int64_t type;
};

template <> struct osw_plain_math<double> {
    typedef double type;
};

template <> struct osw_plain_math<float> {
    typedef float type;
};

template <> struct osw_plain_math<__half> {
    typedef float type;
};

template <> struct osw_plain_math<__nv_bfloat16> {
    typedef float type;
};

template <class E> struct osw_plain_is_half {
    enum {
        value = std::is_same<E, __half>::value ||
                std::is_same<E, __nv_bfloat16>::value
    };
};

template <class A, class E> __device__ A osw_plain_load(const E *p)
{
    if constexpr (std::is_same<E, osw_plain_bool>::value)
        return (A)(p->byte != 0);
    else if constexpr (osw_plain_is_half<E>::value)
        return (A)(float)*p;
    else
        return (A)*p;
}

template <class E, class A> __device__ void osw_plain_store(E *p, A v)
{
    if constexpr (std::is_same<E, osw_plain_bool>::value)
        p->byte = v != 0;
    else if constexpr (osw_plain_is_half<E>::value)
        *p = E((float)v);
    else
        *p = (E)v;
}

/* Calls f with an element of the type that a floating dtype stands for. */
template <class F> static int osw_plain_by_float(osw_dtype t, F f)
{
    switch (t.code * 256 + t.bits) {
    case OSW_FLOAT * 256 + 64:
        return f(double());
    case OSW_FLOAT * 256 + 32:
        return f(float());
    case OSW_FLOAT * 256 + 16:
        return f(__half());
    case OSW_BFLOAT * 256 + 16:
        return f(__nv_bfloat16());
    default:
        return OSW_UNSUPPORTED;
    }
}

template <class F> static int osw_plain_by_integer(osw_dtype t, F f)
{
    switch (t.code * 256 + t.bits) {
    case OSW_INT * 256 + 64:
        return f(int64_t());
    case OSW_INT * 256 + 32:
        return f(int32_t());
    case OSW_INT * 256 + 16:
        return f(int16_t());
    case OSW_INT * 256 + 8:
        return f(int8_t());
    case OSW_UINT * 256 + 8:
        return f(uint8_t());
    case OSW_BOOL * 256 + 8:
        return f(osw_plain_bool());
    default:
        return OSW_UNSUPPORTED;
    }
}

template <class F> static int osw_plain_by_dtype(osw_dtype t, F f)
{
    return osw_rule_category(t) == 2 ? osw_plain_by_float(t, f)
                                     : osw_plain_by_integer(t, f);
}

template <class E> static int osw_plain_is_type(osw_dtype t)
{
    return osw_plain_by_dtype(t, [](auto e) {
               return std::is_same<E, decltype(e)>::value ? 0 : OSW_UNSUPPORTED;
           }) == 0;
}

/* --- where elements lie --- */

/* Several tensors, seen in one shape: dimensions of size 1 are left out, and
 * neighbours are joined where all tensors allow it.  Outermost first.
 */
struct osw_plain_axes {
    int32_t n; /* at least 1 */
    int64_t size[OSW_RULE_DIMS];
    int64_t step[OSW_RULE_DIMS][OSW_PLAIN_TENSORS]; /* in elements */
};

/* Dimension d of `shape` as the innermost axis. */
static inline void osw_plain_axes_push(struct osw_plain_axes *a, int64_t size,
                                       const int64_t *step)
{
    int joined = a->n > 0;

    for (int k = 0; joined && k < OSW_PLAIN_TENSORS; k++)
        joined = a->step[a->n - 1][k] == step[k] * size;
    if (joined)
        size *= a->size[--a->n];
    a->size[a->n] = size;
    memcpy(a->step[a->n++], step, sizeof(a->step[0]));
}

/* The axes of t[0 ... OSW_PLAIN_TENSORS), broadcast to shape [ndim]; a tensor
 * that is NULL stays at its first element.
 */
static inline void osw_plain_axes_of(struct osw_plain_axes *a, int32_t ndim,
                                     const int64_t *shape,
                                     const osw_tensor *const *t)
{
    memset(a, 0, sizeof(*a));
    for (int32_t d = 0; d < ndim; d++) {
        int64_t step[OSW_PLAIN_TENSORS] = {0};

        if (shape[d] == 1)
            continue;
        for (int k = 0; k < OSW_PLAIN_TENSORS; k++) {
            int32_t e = t[k] ? d - (ndim - t[k]->ndim) : -1;

            if (e >= 0 && t[k]->shape[e] != 1)
                step[k] = t[k]->strides[e];
        }
        osw_plain_axes_push(a, shape[d], step);
    }
    if (a->n == 0)
        a->size[a->n++] = 1;
}

/* at[0 ... N): where element i lies in each tensor.  I is wide enough for the
 * number of elements.
 */
template <int N, class I>
__device__ void osw_plain_at(const struct osw_plain_axes &a, I i, int64_t *at)
{
    for (int k = 0; k < N; k++)
        at[k] = 0;
    for (int32_t d = a.n - 1; d > 0; d--) {
        I index = i % (I)a.size[d];

        for (int k = 0; k < N; k++)
            at[k] += (int64_t)index * a.step[d][k];
        i /= (I)a.size[d];
    }
    for (int k = 0; k < N; k++)
        at[k] += (int64_t)i * a.step[0][k];
}

/* --- launches --- */

/* Calls f with an integer that counts n elements and a step of the grid more:
 * divisions are much faster in 32 bits.
 */
template <class F> static int osw_plain_by_count(int64_t n, F f)
{
    return n <= INT32_MAX ? f(uint32_t()) : f(int64_t());
}

/* The first element of a thread, and the way to its next. */
template <class I> __device__ I osw_plain_first(void)
{
    return (I)blockIdx.x * (I)blockDim.x + (I)threadIdx.x;
}

template <class I> __device__ I osw_plain_step(void)
{
    return (I)gridDim.x * (I)blockDim.x;
}

/* A kernel over n elements, one per thread at a time. */
template <class... P, class... A>
static inline int osw_plain_launch(const osw_call *call, void (*kernel)(P...),
                                   int64_t n, const A &...args)
{
    if (n == 0)
        return 0;
    return osw_launch(call, kernel, osw_grid(n, OSW_PLAIN_THREADS),
                      OSW_PLAIN_THREADS, 0, args...);
}

#endif /* OSW_LIBRARY_PLAIN_ELEMENTS_CUH */
