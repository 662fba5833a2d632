/* ops/library/softmax_fast.cuh - softmax and its kin in float, every element
 * read from memory once
 *
 * Three ways, by the length of a row in chunks of 16 bytes:
 * - held: in the registers of a group of 8 threads up to a block;
 * - long: two passes of a block; what fits of the row stays in shared memory
 *   between them, the rest is read again, out of the second-level cache;
 * - any: other strides and dtypes, element by element, three passes.
 */
#ifndef OSW_LIBRARY_SOFTMAX_FAST_CUH
#define OSW_LIBRARY_SOFTMAX_FAST_CUH

#include "chunks.cuh"
#include "groups.cuh"
#include "softmax.h"
#include "strided.cuh"

enum {
    OSW_SOFTMAX_BLOCK = 128,       /* threads of a block of small groups */
    OSW_SOFTMAX_LONG = 1024,       /* threads of a block of a long row */
    OSW_SOFTMAX_KEEP = 108 * 1024, /* bytes kept: two blocks fit */
};

struct osw_softmax_view {
    struct osw_row_view x, y; /* y: output, of the backward forms; else x */
    struct osw_row_view out;
    int keep; /* chunks of each row that stay in shared memory */
};

/* exp to the precision that a result of type T can show. */
template <class T> __device__ static inline float osw_exp_for(float x)
{
    return sizeof(T) == 2 ? __expf(x) : expf(x);
}

/* --- what is computed ---
 *
 * A formula reduces a row to two numbers (max and sum, or sum) and makes an
 * element of out from these.  TWO: there is a second row, y.  FILL is what
 * elements beside the row count as: nothing.
 */

/* Forward: a is the largest element, b the sum of exp(x - a). */
struct osw_softmax_max_sum {
    enum { TWO = 0 };

    __device__ static float fill()
    {
        return -INFINITY;
    }
    __device__ static float2 start()
    {
        return make_float2(-INFINITY, 0.0f);
    }
    /* The next N elements of a thread. */
    template <class T, int N>
    __device__ static void add(float2 &s, const float (&x)[N],
                               const float (&y)[N])
    {
        float max = s.x, safe, sum = 0.0f;

        (void)y;
#pragma unroll
        for (int i = 0; i < N; i++)
            max = x[i] > max ? x[i] : max;
        safe = max == -INFINITY ? 0.0f : max; /* not yet a largest element */
#pragma unroll
        for (int i = 0; i < N; i++)
            sum += osw_exp_for<T>(x[i] - safe);
        s.y = s.y * osw_exp_for<T>(s.x - safe) + sum;
        s.x = max;
    }
    template <class T, int GROUP> __device__ static float2 join(float2 s)
    {
        float max = osw_group_max<GROUP>(s.x);

        s.y = osw_group_sum<GROUP>(s.y * osw_exp_for<T>(s.x - max));
        s.x = max;
        return s;
    }
};

struct osw_softmax_forward : osw_softmax_max_sum {
    template <class T> __device__ static float2 ready(float2 s)
    {
        return make_float2(s.x, 1.0f / s.y);
    }
    template <class T> __device__ static float value(float2 s, float x, float y)
    {
        (void)y;
        return osw_exp_for<T>(x - s.x) * s.y;
    }
};

struct osw_log_softmax_forward : osw_softmax_max_sum {
    template <class T> __device__ static float2 ready(float2 s)
    {
        return make_float2(s.x, logf(s.y));
    }
    template <class T> __device__ static float value(float2 s, float x, float y)
    {
        (void)y;
        return x - s.x - s.y;
    }
};

/* Backward: x is the gradient, y the output; a is a sum. */
template <class F> struct osw_softmax_sum {
    enum { TWO = 1 };

    __device__ static float fill()
    {
        return 0.0f;
    }
    __device__ static float2 start()
    {
        return make_float2(0.0f, 0.0f);
    }
    template <class T, int N>
    __device__ static void add(float2 &s, const float (&x)[N],
                               const float (&y)[N])
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            s.x += F::term(x[i], y[i]);
    }
    template <class T, int GROUP> __device__ static float2 join(float2 s)
    {
        /* terms of both signs: what is left may be small */
        s.x = (float)osw_group_sum<GROUP>((double)s.x);
        return s;
    }
    template <class T> __device__ static float2 ready(float2 s)
    {
        return s;
    }
};

struct osw_softmax_backward : osw_softmax_sum<osw_softmax_backward> {
    __device__ static float term(float x, float y)
    {
        return x * y;
    }
    template <class T> __device__ static float value(float2 s, float x, float y)
    {
        return y * (x - s.x);
    }
};

struct osw_log_softmax_backward : osw_softmax_sum<osw_log_softmax_backward> {
    __device__ static float term(float x, float y)
    {
        (void)y;
        return x;
    }
    template <class T> __device__ static float value(float2 s, float x, float y)
    {
        return x - osw_exp_for<T>(y) * s.x;
    }
};

/* --- rows held in registers --- */

template <class T>
__device__ static inline void osw_chunk_to_floats(const osw_chunk<T> &c,
                                                  float (&v)[osw_chunk<T>::N])
{
#pragma unroll
    for (int e = 0; e < osw_chunk<T>::N; e++)
        v[e] = osw_to_float(c.v[e]);
}

template <class F, class T>
__device__ static inline osw_chunk<T>
osw_softmax_chunk(float2 s, const osw_chunk<T> &x, const osw_chunk<T> &y)
{
    osw_chunk<T> out;

#pragma unroll
    for (int e = 0; e < osw_chunk<T>::N; e++)
        out.v[e] = osw_from_float<T>(F::template value<T>(
            s, osw_to_float(x.v[e]), osw_to_float(y.v[e])));
    return out;
}

template <class F, class T, int GROUP, int C>
__global__ void osw_softmax_held(struct osw_softmax_view v)
{
    enum { N = osw_chunk<T>::N };
    int lane = (int)threadIdx.x % GROUP;
    int64_t row =
        (int64_t)blockIdx.x * (blockDim.x / GROUP) + threadIdx.x / GROUP;
    int there = row < v.x.n_rows;
    osw_held<T, GROUP, C> x, y;
    float2 s = F::start();
    const T *px;
    T *out;

    row = there ? row : 0; /* the warp stays together */
    px = (const T *)v.x.outer.data + osw_strided_offset(&v.x.outer, row);
    out = (T *)v.out.outer.data + osw_strided_offset(&v.out.outer, row);
    x.load(px, v.x.n, lane, osw_from_float<T>(F::fill()));
    if (F::TWO)
        y.load((const T *)v.y.outer.data + osw_strided_offset(&v.y.outer, row),
               v.x.n, lane, osw_from_float<T>(F::fill()));
#pragma unroll
    for (int i = 0; i < C; i++) {
        float a[N], b[N];

        osw_chunk_to_floats(x.chunk[i], a);
        osw_chunk_to_floats(F::TWO ? y.chunk[i] : x.chunk[i], b);
        if ((int64_t)(lane + i * GROUP) * N - osw_chunk_lead(px) < v.x.n)
            F::template add<T, N>(s, a, b);
    }
    s = F::template ready<T>(F::template join<T, GROUP>(s));
#pragma unroll
    for (int i = 0; i < C; i++) {
        int64_t first = (int64_t)(lane + i * GROUP) * N - osw_chunk_lead(px);

        if (there && first < v.x.n)
            osw_chunk_store(
                out, first, v.x.n,
                osw_softmax_chunk<F, T>(s, x.chunk[i],
                                        F::TWO ? y.chunk[i] : x.chunk[i]));
    }
}

/* --- long rows --- */

/* Chunk `slot` of a row; what lies beside the row becomes `fill`. */
template <class T>
__device__ static inline osw_chunk<T> osw_chunk_load(const T *row, int64_t n,
                                                     int64_t first, T fill)
{
    osw_chunk<T> c;

    c.raw = *(const uint4 *)(row + first);
    if (first < 0 || first + osw_chunk<T>::N > n)
#pragma unroll
        for (int e = 0; e < osw_chunk<T>::N; e++)
            if (first + e < 0 || first + e >= n)
                c.v[e] = fill;
    return c;
}

template <class F, class T>
__global__ void __launch_bounds__(OSW_SOFTMAX_LONG, 2)
    osw_softmax_long(struct osw_softmax_view v)
{
    enum { N = osw_chunk<T>::N };
    uint4 *kept_x = (uint4 *)osw_shared(), *kept_y = kept_x + v.keep;
    T fill = osw_from_float<T>(F::fill());

    for (int64_t row = blockIdx.x; row < v.x.n_rows; row += gridDim.x) {
        const T *px =
            (const T *)v.x.outer.data + osw_strided_offset(&v.x.outer, row);
        const T *py =
            (const T *)v.y.outer.data + osw_strided_offset(&v.y.outer, row);
        T *out = (T *)v.out.outer.data + osw_strided_offset(&v.out.outer, row);
        int lead = osw_chunk_lead(px);
        int n_slots = (int)((v.x.n + lead + N - 1) / N);
        float2 s = F::start();

#pragma unroll 4
        for (int slot = (int)threadIdx.x; slot < n_slots;
             slot += OSW_SOFTMAX_LONG) {
            int64_t first = (int64_t)slot * N - lead;
            osw_chunk<T> x = osw_chunk_load(px, v.x.n, first, fill), y = x;
            float a[N], b[N];

            if (F::TWO)
                y = osw_chunk_load(py, v.x.n, first, fill);
            if (slot < v.keep) {
                kept_x[slot] = x.raw;
                if (F::TWO)
                    kept_y[slot] = y.raw;
            }
            osw_chunk_to_floats(x, a);
            osw_chunk_to_floats(y, b);
            F::template add<T, N>(s, a, b);
        }
        s = F::template ready<T>(F::template join<T, OSW_SOFTMAX_LONG>(s));
#pragma unroll 2
        for (int slot = (int)threadIdx.x; slot < n_slots;
             slot += OSW_SOFTMAX_LONG) {
            int64_t first = (int64_t)slot * N - lead;
            osw_chunk<T> x, y;

            if (slot < v.keep) { /* by this very thread */
                x.raw = kept_x[slot];
                y.raw = F::TWO ? kept_y[slot] : x.raw;
            } else {
                x = osw_chunk_load(px, v.x.n, first, fill);
                y = F::TWO ? osw_chunk_load(py, v.x.n, first, fill) : x;
            }
            osw_chunk_store(out, first, v.x.n,
                            osw_softmax_chunk<F, T>(s, x, y));
        }
    }
}

/* --- any strides and dtypes --- */

__device__ static inline float osw_row_float(const struct osw_row_view *r,
                                             int64_t at, int64_t i)
{
    return (float)osw_load(r->outer.dtype,
                           osw_strided_at(&r->outer, at + i * r->stride));
}

template <class F>
__global__ void __launch_bounds__(256)
    osw_softmax_any(struct osw_softmax_view v)
{
    for (int64_t row = blockIdx.x; row < v.x.n_rows; row += gridDim.x) {
        int64_t px = osw_strided_offset(&v.x.outer, row);
        int64_t py = osw_strided_offset(&v.y.outer, row);
        int64_t out = osw_strided_offset(&v.out.outer, row);
        float2 s = F::start();

        for (int64_t i = threadIdx.x; i < v.x.n; i += blockDim.x) {
            float x[1] = {osw_row_float(&v.x, px, i)};
            float y[1] = {osw_row_float(&v.y, py, i)};

            F::template add<float, 1>(s, x, y);
        }
        s = F::template ready<float>(F::template join<float, 256>(s));
        for (int64_t i = threadIdx.x; i < v.x.n; i += blockDim.x)
            osw_store(
                v.out.outer.dtype,
                osw_strided_at(&v.out.outer, out + i * v.out.stride),
                (double)F::template value<float>(s, osw_row_float(&v.x, px, i),
                                                 osw_row_float(&v.y, py, i)));
    }
}

/* --- host --- */

template <class F, class T, int GROUP, int C>
static inline int osw_softmax_launch_held(const osw_call *call,
                                          const struct osw_softmax_view &v)
{
    int threads = GROUP > OSW_SOFTMAX_BLOCK ? GROUP : (int)OSW_SOFTMAX_BLOCK;
    int64_t per_block = threads / GROUP;
    int64_t blocks = (v.x.n_rows + per_block - 1) / per_block;

    if (blocks > INT32_MAX)
        return OSW_UNSUPPORTED;
    return osw_launch(call, osw_softmax_held<F, T, GROUP, C>,
                      dim3((unsigned)blocks), dim3((unsigned)threads), 0, v);
}

template <class F, class T>
static inline int osw_softmax_launch_long(const osw_call *call,
                                          struct osw_softmax_view v,
                                          int64_t n_slots)
{
    static int allowed = 0;
    int rows = F::TWO ? 2 : 1;
    int64_t most = OSW_SOFTMAX_KEEP / (16 * rows);
    int64_t blocks = 2 * (int64_t)osw_sm_count();

    if (n_slots > INT32_MAX / 2)
        return OSW_UNSUPPORTED;
    if (!allowed)
        osw_launch_allow(osw_softmax_long<F, T>, OSW_SOFTMAX_KEEP);
    allowed = 1;
    v.keep = (int)(n_slots < most ? n_slots : most);
    blocks = v.x.n_rows < blocks ? v.x.n_rows : blocks;
    return osw_launch(call, osw_softmax_long<F, T>, dim3((unsigned)blocks),
                      dim3(OSW_SOFTMAX_LONG), (size_t)(16 * rows * v.keep), v);
}

template <class F, class T>
static inline int osw_softmax_by_length(const osw_call *call,
                                        const struct osw_softmax_view &v)
{
    int64_t n = osw_chunk<T>::N;
    int whole = v.x.n % n == 0 && ((uintptr_t)v.x.outer.data & 15) == 0;
    int64_t n_slots = (v.x.n + n - 1) / n + !whole;

    if (n_slots <= 8)
        return osw_softmax_launch_held<F, T, 8, 1>(call, v);
    if (n_slots <= 32)
        return osw_softmax_launch_held<F, T, 32, 1>(call, v);
    if (n_slots <= 64)
        return osw_softmax_launch_held<F, T, 32, 2>(call, v);
    if (n_slots <= 128)
        return osw_softmax_launch_held<F, T, 32, 4>(call, v);
    if (n_slots <= 512)
        return osw_softmax_launch_held<F, T, 128, 4>(call, v);
    if (n_slots <= 2048)
        return osw_softmax_launch_held<F, T, 512, 4>(call, v);
    return osw_softmax_launch_long<F, T>(call, v, n_slots);
}

/* Can rows go in chunks?  One dtype, and chunks of all tensors alike. */
static inline int osw_softmax_in_chunks(const struct osw_softmax *s)
{
    const osw_tensor *x = s->x.tensor, *y = s->y.tensor, *out = s->out.tensor;
    int64_t n = 128 / x->dtype.bits;

    return osw_convert_same(x->dtype, out->dtype) &&
           osw_convert_same(y->dtype, out->dtype) && x->ndim > 0 &&
           osw_chunks_match(x, out, s->x.dim, n) &&
           osw_chunks_match(y, out, s->x.dim, n);
}

template <class F>
static inline int osw_softmax_fast(const osw_call *call,
                                   const struct osw_softmax *s)
{
    struct osw_softmax_view v;

    if (osw_row_view_of(&v.x, &s->x) || osw_row_view_of(&v.y, &s->y) ||
        osw_row_view_of(&v.out, &s->out) || s->x.tensor->dtype.bits == 64)
        return OSW_UNSUPPORTED;
    v.keep = 0;
    if (s->x.n_rows * s->x.n == 0)
        return 0;
    if (osw_softmax_in_chunks(s))
        return osw_by_dtype(s->x.tensor->dtype, [&](auto t) {
            return osw_softmax_by_length<F, decltype(t)>(call, v);
        });
    return osw_launch(call, osw_softmax_any<F>, dim3(osw_grid(v.x.n_rows, 1)),
                      dim3(v.x.n > 1024 ? 256 : 32), 0, v);
}

#endif /* OSW_LIBRARY_SOFTMAX_FAST_CUH */
