/* shared/reduce_fast.cuh - sums over dimensions at the speed of memory
 *
 * Two shapes of f32, f16 and bf16 tensors have kernels of their own:
 * - along: what is summed comes in segments that lie dense in memory; a group
 *   of threads, up to a block, takes the chunks of one sum;
 * - across: what is kept lies dense; a thread takes neighbouring sums, rows of
 *   a block are added up in shared memory.
 * Where there are too few sums to fill the device each is split into parts,
 * which are folded in a fixed order.  All else goes to reduce_any.cuh.
 */
#ifndef OSW_LIBRARY_REDUCE_FAST_CUH
#define OSW_LIBRARY_REDUCE_FAST_CUH

#include "chunks.cuh"
#include "fold.cuh"
#include "reduce_any.cuh"

enum {
    OSW_SUM_THREADS = 256,
    OSW_SUM_DEPTH = 8,  /* chunks of a thread in flight */
    OSW_SUM_ACROSS = 3, /* blocks of a multiprocessor that add rows up */
    OSW_SUM_SHORT = 4,  /* threads to a sum of 32 chunks */
    OSW_SUM_ROWS = 8,
    OSW_SUM_PARTS = 1024,
    OSW_SUM_MANY = 8192, /* sums that fill the device with a warp each */
};

struct osw_sum_view {
    struct osw_strided kept;  /* along: all that is kept; across: without the
                                 dense dimension */
    struct osw_strided outer; /* summed; along: without the dense dimension */
    int64_t n_kept, n_outer;  /* of these */
    int64_t n_dense;
    int64_t n_items;  /* along: chunks of a sum; across: n_outer */
    uint32_t n_slots; /* along: chunks of a segment, at most */
    int n_parts;
    int64_t per_part; /* items */
    double *partial;  /* [n_parts, sums] */
    char *out;
    osw_dtype dtype;
    int is_same;   /* out has the dtype of x */
    int is_ragged; /* along: chunks reach beyond their segments */
    double divisor;
};

/* One sum, or its part. */
template <class T>
__device__ static inline void osw_sum_put(const struct osw_sum_view &v,
                                          int64_t n_sums, int64_t k, int part,
                                          double sum)
{
    if (v.n_parts > 1)
        v.partial[part * n_sums + k] = sum;
    else if (v.is_same)
        ((T *)v.out)[k] = osw_pack_as<T>((float)(sum / v.divisor));
    else
        osw_store(v.dtype, v.out + k * (v.dtype.bits / 8), sum / v.divisor);
}

/* Does every dense run start and end between chunks of n elements? */
static inline int osw_sum_in_chunks(const struct osw_sum_view *v, int64_t n)
{
    int whole = v->n_dense % n == 0 && ((uintptr_t)v->kept.data & 15) == 0;

    for (int32_t d = 0; d < v->kept.ndim; d++)
        whole &= v->kept.strides[d] % n == 0;
    for (int32_t d = 0; d < v->outer.ndim; d++)
        whole &= v->outer.strides[d] % n == 0;
    return whole;
}

/* --- along --- */

/* Where chunk `item` of a sum begins: *first elements from the segment's
 * first, which is returned.  ONE: there is but one segment.
 */
template <class T, int ONE>
__device__ static inline const T *osw_sum_find(const struct osw_sum_view &v,
                                               const T *x, int64_t item,
                                               int64_t *first)
{
    int64_t o = 0;

    if (!ONE) { /* in 32 bits where that does */
        o = item >> 32 ? item / v.n_slots : (uint32_t)item / v.n_slots;
        x += osw_strided_offset(&v.outer, o);
    }
    *first = (item - o * v.n_slots) * osw_chunk<T>::N - osw_chunk_lead(x);
    return x;
}

/* Sum of the elements of a chunk that are in the segment [n]. */
template <class T>
__device__ static inline float osw_sum_chunk(osw_chunk<T> c, int64_t first,
                                             int64_t n)
{
    float v[osw_chunk<T>::N];

    osw_chunk_trim(c, first, n, osw_pack_as<T>(0.0f));
    osw_chunk_to_floats(c, v);
    return osw_chunk_in_pairs<T>(v);
}

/* All loads of a turn are in flight before one is waited for. */
template <class T, int GROUP, int ONE>
__global__ void __launch_bounds__(OSW_SUM_THREADS, 4)
    osw_sum_along(const __grid_constant__ struct osw_sum_view v)
{
    enum { U = ONE ? OSW_SUM_DEPTH : OSW_SUM_DEPTH / 2 };
    int64_t k =
        (int64_t)blockIdx.x * (OSW_SUM_THREADS / GROUP) + threadIdx.x / GROUP;
    int there = k < v.n_kept;
    int part = (int)blockIdx.y;
    int64_t from = part * v.per_part;
    int64_t to = from + v.per_part < v.n_items ? from + v.per_part : v.n_items;
    const T *x = (const T *)v.kept.data;
    double sum = 0.0;

    x += osw_strided_offset(&v.kept, there ? k : 0);
    for (int64_t i = from + threadIdx.x % GROUP; i < to; i += U * GROUP) {
        osw_chunk<T> c[U]; /* zeros where there is none */
        float some = 0.0f;
        int64_t first;

#pragma unroll
        for (int u = 0; u < U; u++) {
            if (i + u * GROUP >= to)
                continue;
            const T *segment =
                osw_sum_find<T, ONE>(v, x, i + u * GROUP, &first);
            if (first < v.n_dense)
                c[u].raw = __ldcs((const uint4 *)(segment + first));
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (v.is_ragged)
                osw_sum_find<T, ONE>(v, x, i + u * GROUP, &first);
            else
                first = 0;
            if (sizeof(T) == 2)
                some += osw_sum_chunk(c[u], first, v.n_dense);
            else
                sum += (double)osw_sum_chunk(c[u], first, v.n_dense);
        }
        if (sizeof(T) == 2)
            sum += (double)some;
    }
    sum = osw_group_sum<GROUP>(sum);
    if (there && threadIdx.x % GROUP == 0)
        osw_sum_put<T>(v, v.n_kept, k, part, sum);
}

template <class T, int GROUP>
static inline int osw_sum_launch_along(const osw_call *call,
                                       const struct osw_sum_view &v)
{
    int64_t per_block = OSW_SUM_THREADS / GROUP;
    int64_t blocks = (v.n_kept + per_block - 1) / per_block;

    if (blocks > INT32_MAX)
        return OSW_UNSUPPORTED;
    return osw_launch(call,
                      v.n_outer == 1 ? osw_sum_along<T, GROUP, 1>
                                     : osw_sum_along<T, GROUP, 0>,
                      dim3((unsigned)blocks, (unsigned)v.n_parts),
                      dim3(OSW_SUM_THREADS), 0, v);
}

/* Parts so that the device, which has room for so many blocks, is filled once,
 * each worth its while.
 */
static inline int osw_sum_split(const osw_call *call, struct osw_sum_view *v,
                                int64_t room, int64_t blocks, int64_t n_sums,
                                int64_t least)
{
    int64_t parts = room / (blocks ? blocks : 1);

    if (parts > v->n_items / least)
        parts = v->n_items / least;
    if (parts > OSW_SUM_PARTS)
        parts = OSW_SUM_PARTS;
    v->n_parts = 1;
    v->per_part = v->n_items;
    if (parts < 2)
        return 0;
    v->per_part = (v->n_items + parts - 1) / parts;
    v->n_parts = (int)((v->n_items + v->per_part - 1) / v->per_part);
    v->partial =
        (double *)osw_workspace(call, (size_t)(v->n_parts * n_sums) * 8);
    return v->partial ? 0 : OSW_ERROR;
}

template <class T>
static inline int osw_sum_run_along(const osw_call *call,
                                    const struct osw_reduce *r,
                                    struct osw_sum_view v)
{
    int64_t n = osw_chunk<T>::N;
    int whole = osw_sum_in_chunks(&v, n);
    static osw_per_device<int64_t> kept;
    int64_t &room = kept.here(); /* asked for once */
    int rc;

    if (v.n_dense / n > INT32_MAX / 2)
        return OSW_UNSUPPORTED;
    v.n_slots = (uint32_t)((v.n_dense + n - 1) / n + !whole);
    v.n_items = v.n_outer * v.n_slots;
    v.is_ragged = !whole;
    v.n_parts = 1;
    v.per_part = v.n_items;
    if (v.n_items <= 16)
        return osw_sum_launch_along<T, 4>(call, v);
    if (v.n_items <= 32)
        return osw_sum_launch_along<T, OSW_SUM_SHORT>(call, v);
    if (v.n_items <= 64)
        return osw_sum_launch_along<T, 8>(call, v);
    if (v.n_items <= 256 || v.n_kept >= OSW_SUM_MANY)
        return osw_sum_launch_along<T, 32>(call, v);
    if (!room)
        room = osw_launch_resident(osw_sum_along<T, OSW_SUM_THREADS, 1>,
                                   OSW_SUM_THREADS, 0);
    if (osw_sum_split(call, &v, room, v.n_kept, v.n_kept, 4 * OSW_SUM_THREADS))
        return OSW_ERROR;
    rc = osw_sum_launch_along<T, OSW_SUM_THREADS>(call, v);
    if (rc || v.n_parts == 1)
        return rc;
    return osw_fold(call, v.partial, v.n_parts, v.n_kept, 1.0 / v.divisor,
                    r->out);
}

/* --- across --- */

/* Add the rows of a turn, zeros where there is none.  Of 16 bits, some of these
 * add up in float as well as exactly, before they are widened.
 */
template <class T, int N, int U>
__device__ static inline void osw_sum_turn(float (&part)[N],
                                           const osw_chunk<T> (&c)[U])
{
#pragma unroll
    for (int u = 0; u < U; u++) {
        float v[osw_chunk<T>::N];

        osw_chunk_to_floats(c[u], v);
#pragma unroll
        for (int e = 0; e < N; e++)
            part[e] += v[e];
    }
}

template <int N>
__device__ static inline void osw_sum_widen(double (&sum)[N], float (&part)[N])
{
#pragma unroll
    for (int e = 0; e < N; e++) {
        sum[e] += (double)part[e];
        part[e] = 0.0f;
    }
}

/* N sums side by side per thread: a chunk, or 1 where chunks do not fit.  ONE:
 * rows lie at one distance from each other.
 */
template <class T, int N, int ONE>
__global__ void __launch_bounds__(OSW_SUM_THREADS, OSW_SUM_ACROSS)
    osw_sum_across(const __grid_constant__ struct osw_sum_view v)
{
    enum { U = OSW_SUM_DEPTH, WIDEN = sizeof(T) == 2 ? 8 : 1 };
    __shared__ double sums[OSW_SUM_THREADS * N];
    int64_t width = (int64_t)blockDim.x * N; /* sums of a block */
    int64_t across = (v.n_dense + width - 1) / width;
    int64_t kept = blockIdx.x / across;
    int64_t first = blockIdx.x % across * width;
    int part = (int)blockIdx.y;
    int64_t from = part * v.per_part;
    int64_t to = from + v.per_part < v.n_outer ? from + v.per_part : v.n_outer;
    int64_t col = first + (int64_t)threadIdx.x * N;
    const T *x =
        (const T *)v.kept.data + osw_strided_offset(&v.kept, kept) + col;
    int64_t step = ONE && v.outer.ndim ? v.outer.strides[0] : 0;
    double sum[N] = {};
    float some[N] = {};
    int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    int turns = 0;

    if (ONE)
        x += (from + threadIdx.y) * step;
    step *= blockDim.y;
    for (int64_t i = from + threadIdx.y; i < to && col < v.n_dense;
         i += U * blockDim.y) {
        osw_chunk<T> c[U]; /* zeros where there is no row */

#pragma unroll
        for (int u = 0; u < U; u++) {
            int64_t row = i + u * blockDim.y;
            const T *p = x;

            if (ONE)
                x += step;
            else if (row < to)
                p += osw_strided_offset(&v.outer, row);
            if (row < to && N > 1)
                c[u].raw = __ldcs((const uint4 *)p);
            else if (row < to)
                c[u].v[0] = *p;
        }
        osw_sum_turn<T>(some, c);
        if (++turns % WIDEN == 0)
            osw_sum_widen(sum, some);
    }
    osw_sum_widen(sum, some);
#pragma unroll
    for (int e = 0; e < N; e++)
        sums[thread * N + e] = sum[e];
    __syncthreads();
    for (int64_t j = thread; j < width && first + j < v.n_dense;
         j += blockDim.x * blockDim.y) {
        double all = 0.0;

        for (unsigned y = 0; y < blockDim.y; y++)
            all += sums[y * width + j];
        osw_sum_put<T>(v, v.n_kept * v.n_dense, kept * v.n_dense + first + j,
                       part, all);
    }
}

/* The smallest power of two that is not less than n, at most `most`. */
static inline int osw_sum_power(int64_t n, int most)
{
    int p = 1;

    while (p < n && p < most)
        p *= 2;
    return p;
}

template <class T, int N, int ONE>
static inline int osw_sum_run_across(const osw_call *call,
                                     const struct osw_reduce *r,
                                     struct osw_sum_view v)
{
    int rows = osw_sum_power(v.n_outer, OSW_SUM_ROWS);
    int cols = osw_sum_power((v.n_dense + N - 1) / N, OSW_SUM_THREADS / rows);
    static osw_per_device<int64_t> kept;
    int64_t &room = kept.here(); /* asked for once */
    int64_t blocks =
        v.n_kept * ((v.n_dense + (int64_t)cols * N - 1) / ((int64_t)cols * N));

    if (blocks > INT32_MAX)
        return OSW_UNSUPPORTED;
    if (cols * rows < OSW_SUM_THREADS)
        rows = osw_sum_power(v.n_outer, OSW_SUM_THREADS / cols);
    v.n_items = v.n_outer;
    if (!room)
        room =
            osw_launch_resident(osw_sum_across<T, N, ONE>, OSW_SUM_THREADS, 0);
    if (osw_sum_split(call, &v, room, blocks, v.n_kept * v.n_dense, 2 * rows))
        return OSW_ERROR;
    osw_launch(call, osw_sum_across<T, N, ONE>,
               dim3((unsigned)blocks, (unsigned)v.n_parts),
               dim3((unsigned)cols, (unsigned)rows), 0, v);
    if (v.n_parts == 1)
        return 0;
    return osw_fold(call, v.partial, v.n_parts, v.n_kept * v.n_dense,
                    1.0 / v.divisor, r->out);
}

/* --- which --- */

/* Take the innermost dimension off; its size. */
static inline int64_t osw_sum_take(struct osw_strided *s)
{
    return s->ndim ? s->shape[--s->ndim] : 1;
}

static inline int osw_sum_is_dense(const struct osw_strided *s)
{
    return s->ndim && s->strides[s->ndim - 1] == 1;
}

template <class T>
static inline int osw_sum_run(const osw_call *call, const struct osw_reduce *r,
                              const struct osw_reduce_view *any)
{
    struct osw_sum_view v;

    memset(&v, 0, sizeof(v));
    v.kept = any->kept;
    v.outer = any->summed;
    v.n_kept = any->n_kept;
    v.n_outer = any->n_summed;
    v.out = any->out;
    v.dtype = any->dtype;
    v.is_same = osw_convert_same(any->dtype, r->x->dtype);
    v.divisor = any->divisor;
    if (osw_sum_is_dense(&v.outer)) {
        v.n_dense = osw_sum_take(&v.outer);
        v.n_outer /= v.n_dense;
        return osw_sum_run_along<T>(call, r, v);
    }
    if (!osw_sum_is_dense(&v.kept))
        return osw_reduce_any(call, any);
    v.n_dense = osw_sum_take(&v.kept);
    v.n_kept /= v.n_dense;
    if (!osw_sum_in_chunks(&v, osw_chunk<T>::N))
        return osw_sum_run_across<T, 1, 0>(call, r, v);
    if (v.outer.ndim > 1)
        return osw_sum_run_across<T, osw_chunk<T>::N, 0>(call, r, v);
    return osw_sum_run_across<T, osw_chunk<T>::N, 1>(call, r, v);
}

static inline int osw_reduce_fast(const osw_call *call,
                                  const struct osw_reduce *r, double divisor)
{
    struct osw_reduce_view any;
    int rc = osw_reduce_view_of(&any, r, divisor);

    if (rc || any.n_kept == 0)
        return rc;
    if (any.n_summed == 0 || !osw_reduce_is_float(any.dtype) ||
        any.dtype.bits == 64)
        return osw_reduce_any(call, &any);
    rc = osw_by_dtype(r->x->dtype, [&](auto t) {
        return osw_sum_run<decltype(t)>(call, r, &any);
    });
    return rc == OSW_UNSUPPORTED ? osw_reduce_any(call, &any) : rc;
}

#endif /* OSW_LIBRARY_REDUCE_FAST_CUH */
