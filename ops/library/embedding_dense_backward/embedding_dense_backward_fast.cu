/* ops/library/embedding_dense_backward/embedding_dense_backward_fast.cu -
 * entries sorted by where they point, then sums of runs of equal ones
 *
 * Deterministic: CUB sorts the entries, stably, and every sum has a fixed
 * order.  The sorted entries are cut into chunks.  A thread walks over
 * one, for a few columns: a run that lies within the chunk is written, the
 * ends of runs that go beyond it are left as partial sums, which a second
 * kernel adds up.  Rows that nobody points to were cleared before.
 */
#include "../chunks.cuh"
#include "../picking.cuh"
#include "embedding_dense_backward.h"

#include <cub/device/device_radix_sort.cuh>

enum {
    COLS = 32,
    ROWS = 8,
    IN_FLIGHT = 8,    /* rows of the gradient, per thread */
    LEAST = 32,       /* entries of a chunk */
    MOST = 128,       /* of which the partial sums are few */
    MANY = 128 * 1024 /* threads that fill the device */
};

struct view {
    struct osw_strided index;
    struct osw_row_view grad;
    int64_t n_weights, padding;
    int scale;
    uint32_t n;                /* entries */
    uint32_t chunk;            /* entries of a chunk */
    uint32_t *keys_in, *at_in; /* [n] in their order */
    uint32_t *keys, *at;       /* [n] sorted */
    float *partial;            /* [chunks, 2, width]: first and last run */
    char *out;                 /* [n_weights, width] */
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

/* Does the run of entry i begin there; does it end there? */
__device__ static int begins(const struct view &v, uint32_t i)
{
    return i == 0 || v.keys[i - 1] != v.keys[i];
}

__device__ static int ends(const struct view &v, uint32_t i)
{
    return i + 1 == v.n || v.keys[i + 1] != v.keys[i];
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

/* What a thread has summed up of a run, entries [run, i], where it ends or the
 * chunk does.
 */
template <class T, int N>
__device__ static void leave(const struct view &v, const sums<T, N> &s,
                             uint32_t key, uint32_t chunk, uint32_t run,
                             uint32_t i, int64_t col)
{
    if (key < v.n_weights && ends(v, i) && begins(v, run)) {
        s.put((T *)v.out + key * v.grad.n + col, divisor_of(v, key));
    } else {
        int64_t slot = 2 * (int64_t)chunk + (run != chunk * v.chunk);

#pragma unroll
        for (int e = 0; e < N; e++)
            v.partial[slot * v.grad.n + col + e] = s.v[e];
    }
}

/* The rows of IN_FLIGHT entries are on their way before one is added. */
template <class T, int N>
__global__ void __launch_bounds__(COLS *ROWS, 2)
    add_chunks(const __grid_constant__ struct view v)
{
    uint32_t chunk = blockIdx.x * ROWS + threadIdx.y;
    int64_t col = ((int64_t)blockIdx.y * COLS + threadIdx.x) * N;
    uint32_t first = chunk * v.chunk, run = first, key;
    uint32_t last = v.n - first < v.chunk ? v.n : first + v.chunk;
    const T *grad = (const T *)v.grad.outer.data + col * v.grad.stride;
    sums<T, N> s = {};

    if (first >= v.n || col >= v.grad.n)
        return;
    key = v.keys[first];
    for (uint32_t i = first; i < last; i += IN_FLIGHT) {
        osw_chunk<T> c[IN_FLIGHT];
        uint32_t keys[IN_FLIGHT];

#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++) {
            uint32_t at = i + u < last ? i + u : last - 1;

            keys[u] = v.keys[at];
            s.load(c[u], grad + osw_strided_offset(&v.grad.outer, v.at[at]));
        }
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++) {
            if (i + u >= last)
                break;
            if (keys[u] != key) {
                leave(v, s, key, chunk, run, i + u - 1, col);
                s = {};
                run = i + u;
                key = keys[u];
            }
            s.add(c[u]);
        }
    }
    leave(v, s, key, chunk, run, last - 1, col);
}

/* A block to a chunk in which a run begins that goes beyond it. */
template <class T>
__global__ void __launch_bounds__(COLS *ROWS) join_chunks(struct view v)
{
    __shared__ float of_row[ROWS][COLS];
    uint32_t chunk = blockIdx.x, first = chunk * v.chunk;
    uint32_t last = first + v.chunk - 1, key, until;
    int64_t col = (int64_t)blockIdx.y * COLS + threadIdx.x;
    float sum = 0.0f;
    int whole;

    if (last >= v.n || ends(v, last))
        return;
    key = v.keys[last];
    whole = v.keys[first] == key; /* it fills the chunk */
    if (key >= v.n_weights || (whole && !begins(v, first)))
        return;
    until = (bound_of(v, key, 0) - 1) / v.chunk;
    for (uint32_t c = chunk + threadIdx.y; c <= until && col < v.grad.n;
         c += ROWS) {
        int64_t slot = 2 * (int64_t)c + (c == chunk && !whole);

        sum += v.partial[slot * v.grad.n + col];
    }
    of_row[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || col >= v.grad.n)
        return;
    for (int row = 1; row < ROWS; row++)
        sum += of_row[row][threadIdx.x];
    ((T *)v.out)[key * v.grad.n + col] =
        osw_pack_as<T>(sum / divisor_of(v, key));
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
    size_t n_chunks = (v->n + v->chunk - 1) / v->chunk;
    char *p = (char *)osw_workspace(
        call, 4 * list + aligned(temp) + n_chunks * 2 * (size_t)v->grad.n * 4);

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

template <class T, int N>
static int add_up(const osw_call *call, const struct view &v)
{
    unsigned n_chunks = (v.n + v.chunk - 1) / v.chunk;
    int64_t width = (int64_t)COLS * N;

    osw_launch(call, add_chunks<T, N>,
               dim3((n_chunks + ROWS - 1) / ROWS,
                    (unsigned)((v.grad.n + width - 1) / width)),
               dim3(COLS, ROWS), 0, v);
    return osw_launch(call, join_chunks<T>,
                      dim3(n_chunks, (unsigned)((v.grad.n + COLS - 1) / COLS)),
                      dim3(COLS, ROWS), 0, v);
}

static int in_chunks(const struct view *v)
{
    int64_t n = 128 / v->grad.outer.dtype.bits;
    int whole = v->grad.stride == 1 && v->grad.n % n == 0 &&
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
    v.chunk = (int64_t)v.n * v.grad.n / (int64_t)MANY >
                      MOST * (128 / v.grad.outer.dtype.bits)
                  ? MOST
                  : LEAST;
    rc = sort_entries(call, &v);
    if (rc)
        return rc;
    return osw_by_dtype(e.out->dtype, [&](auto t) {
        typedef decltype(t) T;

        return in_chunks(&v) ? add_up<T, osw_chunk<T>::N>(call, v)
                             : add_up<T, 1>(call, v);
    });
}
