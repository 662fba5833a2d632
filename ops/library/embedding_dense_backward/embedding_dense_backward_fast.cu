/* ops/library/embedding_dense_backward/embedding_dense_backward_fast.cu -
 * entries sorted by where they point, then sums of runs of equal ones
 *
 * Deterministic: CUB sorts the entries, stably, and every sum has a fixed
 * order.  The sorted entries are cut into chunks.  A warp takes the runs that
 * begin in one, for a few columns, beyond its end where that is not far.  Of
 * longer runs each chunk leaves a partial sum, which a second kernel adds up.
 * Rows that nobody points to were cleared before.
 */
#include "../chunks.cuh"
#include "../picking.cuh"
#include "embedding_dense_backward.h"

#include <cub/device/device_radix_sort.cuh>

enum {
    COLS = 32,
    ROWS = 8,
    IN_FLIGHT = 8, /* rows of the gradient, per thread */
    CHUNK = 64,    /* entries */
    BEYOND = 32    /* of a run, behind the chunk that it begins in */
};

struct view {
    struct osw_strided index;
    struct osw_row_view grad;
    int64_t n_weights, padding;
    int scale;
    uint32_t n;                  /* entries */
    uint32_t n_chunks, n_slices; /* a slice: columns of a warp */
    uint32_t *keys_in, *at_in;   /* [n] in their order */
    uint32_t *keys, *at;         /* [n] sorted */
    float *partial;              /* [chunks, 2, width]: first and last run */
    char *out;                   /* [n_weights, width] */
};

static __global__ void list_entries(struct view v)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    int64_t k;

    if (i >= v.n)
        return;
    k = osw_pick_at(&v.index, i, v.n_weights);
    v.keys_in[i] = (uint32_t)(k == v.padding ? v.n_weights : k);
    v.at_in[i] = i;
}

/* First of the sorted entries that is larger than key, or (or_equal) not less.
 */
__device__ static uint32_t bound_of(const struct view &v, uint32_t key,
                                    int or_equal)
{
    uint32_t from = 0, to = v.n;

    while (from < to) {
        uint32_t mid = from + (to - from) / 2;

        if (v.keys[mid] > key || (or_equal && v.keys[mid] == key))
            to = mid;
        else
            from = mid + 1;
    }
    return from;
}

__device__ static float divisor_of(const struct view &v, uint32_t key)
{
    return v.scale ? (float)(bound_of(v, key, 0) - bound_of(v, key, 1)) : 1.0f;
}

/* Does a run begin at entry i? */
__device__ static int begins(const struct view &v, uint32_t i)
{
    return i == 0 || i >= v.n || v.keys[i - 1] != v.keys[i];
}

/* Is the run that goes beyond the end of a chunk, `last`, left to the warp of
 * this chunk, if it begins there?
 */
__device__ static int ends_soon(const struct view &v, uint32_t last)
{
    return last + BEYOND >= v.n || v.keys[last + BEYOND] != v.keys[last];
}

/* How many entries from i on, at most BEYOND, are of the same run. */
__device__ static uint32_t same_run(const struct view &v, uint32_t i)
{
    uint32_t lane = threadIdx.x;
    int other = i + lane >= v.n || v.keys[i + lane] != v.keys[i];
    unsigned others = __ballot_sync(0xffffffffu, other);

    return others ? (uint32_t)__ffs((int)others) - 1 : (uint32_t)BEYOND;
}

/* Entries of a warp; is the first run, or the last, one that other chunks have
 * parts of?
 */
struct part {
    uint32_t chunk, from, to;
    int open_head, open_tail;
};

__device__ static struct part part_of(const struct view &v, uint32_t chunk)
{
    uint32_t first = chunk * CHUNK;
    uint32_t last = v.n - first < CHUNK ? v.n : first + CHUNK;
    struct part p = {chunk, first, last, !begins(v, first), !begins(v, last)};
    int began_before = /* in the chunk before that one */
        chunk > 0 && v.keys[first - 1] == v.keys[first - CHUNK] &&
        !begins(v, first - CHUNK);

    if (p.open_head && !began_before && ends_soon(v, first)) {
        p.from += same_run(v, first);
        p.open_head = 0;
    }
    if (p.open_tail && ends_soon(v, last) &&
        (v.keys[first] != v.keys[last] || begins(v, first))) {
        p.to += same_run(v, last);
        p.open_tail = 0;
    }
    return p;
}

/* A thread's columns: a chunk of 16 bytes, or one. */
template <class T, int N> struct sums {
    float v[N];

    __device__ static void load(osw_chunk<T> &c, const T *p)
    {
        if (N > 1)
            c.raw = __ldcs((const uint4 *)p);
        else
            c.v[0] = *p;
    }
    __device__ void add(const osw_chunk<T> &c)
    {
#pragma unroll
        for (int e = 0; e < N; e++)
            v[e] += osw_pack_float(c.v[e]);
    }
    __device__ void put(T *p, float divisor) const
    {
        osw_chunk<T> c;

#pragma unroll
        for (int e = 0; e < N; e++)
            c.v[e] = osw_pack_as<T>(v[e] / divisor);
        if (N > 1)
            *(uint4 *)p = c.raw;
        else
            *p = c.v[0];
    }
};

/* What a thread has summed up of a run, from entry `run` on.  s by value: else
 * every sum goes through memory.
 */
template <class T, int N>
__device__ static __noinline__ void
leave(const struct view &v, sums<T, N> s, const struct part &p, uint32_t key,
      uint32_t run, int is_last, int64_t col)
{
    int open = (run == p.from && p.open_head) || (is_last && p.open_tail);

    if (key >= v.n_weights || col >= v.grad.n)
        return;
    if (!open) {
        s.put((T *)v.out + key * v.grad.n + col, divisor_of(v, key));
    } else {
        int64_t slot = 2 * (int64_t)p.chunk + (run != p.chunk * CHUNK);

#pragma unroll
        for (int e = 0; e < N; e++)
            v.partial[slot * v.grad.n + col + e] = s.v[e];
    }
}

/* The rows of IN_FLIGHT entries are on their way before one is added.  N > 1:
 * a chunk at a time, of rows at one distance from each other.
 */
template <class T, int N>
__global__ void __launch_bounds__(COLS *ROWS, 2)
    add_runs(const __grid_constant__ struct view v)
{
    uint32_t warp = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;
    uint32_t chunk = warp / v.n_slices, run, key;
    int64_t col = ((int64_t)(warp % v.n_slices) * COLS + lane) * N;
    const T *grad = (const T *)v.grad.outer.data + col * v.grad.stride;
    int64_t step = v.grad.outer.ndim ? v.grad.outer.strides[0] : 0;
    struct part p;
    sums<T, N> s = {};

    if (chunk >= v.n_chunks)
        return;
    p = part_of(v, chunk);
    if (p.from >= p.to)
        return;
    run = p.from;
    key = v.keys[run];
    for (uint32_t i = p.from; i < p.to; i += COLS) {
        uint32_t mine = i + lane < p.to ? i + lane : p.to - 1;
        uint32_t my_key = v.keys[mine], my_at = v.at[mine];
        uint32_t n = p.to - i < COLS ? p.to - i : COLS;

#pragma unroll 1
        for (uint32_t j = 0; j < n; j += IN_FLIGHT) {
            osw_chunk<T> c[IN_FLIGHT];

#pragma unroll
            for (int u = 0; u < IN_FLIGHT; u++) {
                uint32_t at = __shfl_sync(0xffffffffu, my_at, (int)(j + u));

                if (j + u < n && col < v.grad.n)
                    s.load(c[u], grad + (N > 1 ? at * step
                                               : osw_strided_offset(
                                                     &v.grad.outer, at)));
            }
#pragma unroll
            for (int u = 0; u < IN_FLIGHT; u++) {
                uint32_t its = __shfl_sync(0xffffffffu, my_key, (int)(j + u));

                if (j + u >= n)
                    break;
                if (its != key) {
                    leave(v, s, p, key, run, 0, col);
                    s = {};
                    run = i + j + u;
                    key = its;
                }
                s.add(c[u]);
            }
        }
    }
    leave(v, s, p, key, run, 1, col);
}

/* A block to a chunk in which a run begins that others have parts of. */
template <class T>
__global__ void __launch_bounds__(COLS *ROWS) join_chunks(struct view v)
{
    __shared__ float of_row[ROWS][COLS];
    uint32_t chunk = blockIdx.x, first = chunk * CHUNK, last = first + CHUNK;
    uint32_t key, until;
    int whole;

    if (last >= v.n || begins(v, last) || ends_soon(v, last))
        return;
    key = v.keys[last];
    whole = v.keys[first] == key; /* it fills the chunk */
    if (key >= v.n_weights || (whole && !begins(v, first)))
        return;
    until = (bound_of(v, key, 0) - 1) / CHUNK;
    if (until - chunk < ROWS) { /* few: a thread adds all, of its columns */
        float divisor = divisor_of(v, key);

        for (int64_t col = threadIdx.y * COLS + threadIdx.x; col < v.grad.n;
             col += COLS * ROWS) {
            float sum = v.partial[(2 * chunk + !whole) * v.grad.n + col];

            for (uint32_t c = chunk + 1; c <= until; c++)
                sum += v.partial[2 * (int64_t)c * v.grad.n + col];
            ((T *)v.out)[key * v.grad.n + col] = osw_pack_as<T>(sum / divisor);
        }
        return;
    }
    for (int64_t from = 0; from < v.grad.n; from += COLS) {
        int64_t col = from + threadIdx.x;
        float sum = 0.0f;

        for (uint32_t c = chunk + threadIdx.y; c <= until && col < v.grad.n;
             c += ROWS) {
            int64_t slot = 2 * (int64_t)c + (c == chunk && !whole);

            sum += v.partial[slot * v.grad.n + col];
        }
        of_row[threadIdx.y][threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.y == 0 && col < v.grad.n) {
            for (int row = 1; row < ROWS; row++)
                sum += of_row[row][threadIdx.x];
            ((T *)v.out)[key * v.grad.n + col] =
                osw_pack_as<T>(sum / divisor_of(v, key));
        }
        __syncthreads();
    }
}

/* --- host --- */

static int key_bits(int64_t n_weights)
{
    int bits = 1;

    while (bits < 32 && n_weights >> bits)
        bits++;
    return bits;
}

/* Bytes that the sort needs; asked for again only when n has changed. */
static size_t sort_bytes(uint32_t n)
{
    static uint32_t last_n = 0;
    static size_t bytes = 0;
    uint32_t *none = NULL;

    if (n != last_n)
        cub::DeviceRadixSort::SortPairs(NULL, bytes, none, none, none, none,
                                        (int)n);
    last_n = n;
    return bytes;
}

static size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Keys, their sorted order, and room for the partial sums. */
static int sort_entries(const osw_call *call, struct view *v)
{
    size_t list = aligned((size_t)v->n * 4), temp = sort_bytes(v->n);
    char *p = (char *)osw_workspace(call, 4 * list + aligned(temp) +
                                              (size_t)v->n_chunks * 2 *
                                                  (size_t)v->grad.n * 4);

    if (!p)
        return OSW_ERROR;
    v->keys_in = (uint32_t *)p;
    v->at_in = (uint32_t *)(p + list);
    v->keys = (uint32_t *)(p + 2 * list);
    v->at = (uint32_t *)(p + 3 * list);
    v->partial = (float *)(p + 4 * list + aligned(temp));
    osw_launch(call, list_entries, dim3((v->n + 255) / 256), dim3(256), 0, *v);
    if (cub::DeviceRadixSort::SortPairs(
            p + 4 * list, temp, v->keys_in, v->keys, v->at_in, v->at, (int)v->n,
            0, key_bits(v->n_weights), (cudaStream_t)call->stream))
        return osw_error(call, "cannot sort the indices");
    return 0;
}

template <class T, int N> static int add_up(const osw_call *call, struct view v)
{
    int64_t width = (int64_t)COLS * N, warps;

    v.n_slices = (uint32_t)((v.grad.n + width - 1) / width);
    warps = (int64_t)v.n_chunks * v.n_slices;
    if (warps > INT32_MAX)
        return OSW_UNSUPPORTED;
    osw_launch(call, add_runs<T, N>,
               dim3((unsigned)((warps + ROWS - 1) / ROWS)), dim3(COLS, ROWS), 0,
               v);
    return osw_launch(call, join_chunks<T>, dim3(v.n_chunks), dim3(COLS, ROWS),
                      0, v);
}

static int in_chunks(const struct view *v)
{
    int64_t n = 128 / v->grad.outer.dtype.bits;
    int whole = v->grad.stride == 1 && v->grad.n % n == 0 &&
                v->grad.outer.ndim <= 1 &&
                (((uintptr_t)v->grad.outer.data | (uintptr_t)v->out) & 15) == 0;

    for (int32_t d = 0; d < v->grad.outer.ndim; d++)
        whole &= v->grad.outer.strides[d] % n == 0;
    return whole;
}

extern "C" int embedding_dense_backward_kernel_impl(const osw_call *call)
{
    struct osw_embedding_back e = {};
    struct view v;
    int rc = osw_embedding_back_open(call, &e);

    if (rc)
        return rc;
    if (!osw_convert_knows(e.out->dtype) || e.n_weights >= INT32_MAX ||
        e.grad.n_rows > INT32_MAX / 2 || e.grad.n > 65535 * COLS ||
        osw_strided_of(&v.index, e.indices) ||
        osw_row_view_of(&v.grad, &e.grad))
        return OSW_UNSUPPORTED;
    v.n_weights = e.n_weights;
    v.padding = e.padding;
    v.scale = e.scale;
    v.n = (uint32_t)e.grad.n_rows;
    v.out = (char *)osw_data(e.out);
    if (osw_numel(e.out) == 0)
        return 0;
    cudaMemsetAsync(v.out, 0,
                    (size_t)osw_numel(e.out) * (e.out->dtype.bits / 8),
                    (cudaStream_t)call->stream);
    if (v.n == 0)
        return 0;
    v.n_chunks = (v.n + CHUNK - 1) / CHUNK;
    rc = sort_entries(call, &v);
    if (rc)
        return rc;
    return osw_by_dtype(e.out->dtype, [&](auto t) {
        typedef decltype(t) T;

        return in_chunks(&v) ? add_up<T, osw_chunk<T>::N>(call, v)
                             : add_up<T, 1>(call, v);
    });
}
