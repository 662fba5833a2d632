/* ops/library/cumsum/cumsum_fast.cu - rows in tiles: a block, or a warp where
 * rows are short, scans one tile after the other and carries the sum
 *
 * Dense rows of f32, f16 and bf16 in whole chunks of 16 bytes: a thread takes
 * chunks, fetched a tile ahead (stream.cuh).  All else: a thread takes EACH
 * neighbours, and tiles go through shared memory, so that memory is read and
 * written by neighbours in the warp, whatever its stride.
 * Floats are summed in float within a tile (of chunks: within the 32 of a
 * warp) and carried in double; integers in int64.
 */
#include "../shared/groups.cuh"
#include "../shared/stream.cuh"
#include "../shared/strided.cuh"
#include "cumsum.h"

enum { EACH = 8, LONG = 256, SHORT = 32 };

struct view {
    struct osw_row_view x, out;
};

__device__ static inline float value_of(float v)
{
    return v;
}
__device__ static inline float value_of(osw_f16 v)
{
    return osw_pack_float(v);
}
__device__ static inline float value_of(osw_bf16 v)
{
    return osw_pack_float(v);
}
__device__ static inline int64_t value_of(int64_t v)
{
    return v;
}
__device__ static inline int64_t value_of(int32_t v)
{
    return v;
}

template <class To> struct result {
    __device__ static To of(double v)
    {
        return osw_pack_as<To>((float)v);
    }
};
template <> struct result<int64_t> {
    __device__ static int64_t of(int64_t v)
    {
        return v;
    }
};

/* Of sums up to each lane, that before this one: to subtract what is its own
 * would leave NaN of infinities, and nothing of small sums before a large
 * value.
 */
template <class A> __device__ static inline A before_lane(A upto)
{
    A sum = __shfl_up_sync(0xffffffffu, upto, 1);

    return threadIdx.x % 32 ? sum : (A)0;
}

/* Sum of v over the threads before this one; *all: over all threads. */
template <int THREADS, class A> __device__ static inline A before(A v, A *all)
{
    __shared__ A of_warp[THREADS / 32 + 1];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    A sum = v, less = 0;

    for (int o = 1; o < 32; o *= 2) {
        A other = __shfl_up_sync(0xffffffffu, sum, o);

        sum += lane >= o ? other : (A)0;
    }
    if (lane == 31)
        of_warp[warp] = sum;
    __syncthreads();
    *all = 0;
    for (int w = 0; w < THREADS / 32; w++) {
        less += w < warp ? of_warp[w] : (A)0;
        *all += of_warp[w];
    }
    return less + before_lane(sum);
}

/* A: what is summed within a tile; C: what is carried.  Elements of a thread
 * lie EACH + 1 apart in shared memory, so that a warp meets all banks.
 */
template <class T, class To, class A, class C, int THREADS>
__global__ void __launch_bounds__(THREADS) scan(struct view v)
{
    __shared__ A tile[THREADS * (EACH + 1)];
    const T *x = (const T *)v.x.outer.data;
    To *out = (To *)v.out.outer.data;
    C carry = 0;

    x += osw_strided_offset(&v.x.outer, blockIdx.x);
    out += osw_strided_offset(&v.out.outer, blockIdx.x);
    for (int64_t first = 0; first < v.x.n; first += THREADS * EACH) {
        A *mine = tile + threadIdx.x * (EACH + 1), sum = 0, all;

#pragma unroll
        for (int c = 0; c < EACH; c++) {
            int i = c * THREADS + (int)threadIdx.x;

            tile[i + i / EACH] = first + i < v.x.n
                                     ? (A)value_of(x[(first + i) * v.x.stride])
                                     : (A)0;
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < EACH; c++) {
            sum += mine[c];
            mine[c] = sum;
        }
        sum = before<THREADS>(sum, &all);
#pragma unroll
        for (int c = 0; c < EACH; c++)
            mine[c] += sum;
        __syncthreads();
#pragma unroll
        for (int c = 0; c < EACH; c++) {
            int i = c * THREADS + (int)threadIdx.x;

            if (first + i < v.x.n)
                out[(first + i) * v.out.stride] =
                    result<To>::of(carry + tile[i + i / EACH]);
        }
        carry += all;
        __syncthreads();
    }
}

template <class T, class To, class A, class C>
static int launch(const osw_call *call, const struct view &v)
{
    if (v.x.n_rows > INT32_MAX)
        return OSW_UNSUPPORTED;
    if (v.x.n <= SHORT * EACH)
        return osw_launch(call, scan<T, To, A, C, SHORT>,
                          dim3((unsigned)v.x.n_rows), dim3(SHORT), 0, v);
    return osw_launch(call, scan<T, To, A, C, LONG>, dim3((unsigned)v.x.n_rows),
                      dim3(LONG), 0, v);
}

/* --- in chunks --- */

struct tiles {
    struct view v;
    int n_tiles; /* of a row */
};

/* Sums of the 32 chunks of each warp, C times: what is before this warp's in
 * the tile.  *all: of the tile.  turn: alternates.
 */
template <int WARPS, int C>
__device__ static inline void
before_warp(const float (&sum)[C], double (&less)[C], double *all, int turn)
{
    __shared__ float of_warp[2][C * WARPS];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    double carry = 0.0;

    if (lane == 31)
        for (int i = 0; i < C; i++)
            of_warp[turn][i * WARPS + warp] = sum[i];
    __syncthreads();
#pragma unroll
    for (int first = 0; first < C * WARPS; first += 32) {
        int mine = first + lane;
        double one = mine < C * WARPS ? (double)of_warp[turn][mine] : 0.0;
        double upto = one;

        for (int o = 1; o < 32; o *= 2) {
            double other = __shfl_up_sync(0xffffffffu, upto, o);

            upto += lane >= o ? other : 0.0;
        }
        one = before_lane(upto);
#pragma unroll
        for (int i = 0; i < C; i++) {
            double there =
                __shfl_sync(0xffffffffu, one, (i * WARPS + warp) & 31);

            if ((i * WARPS + warp) / 32 * 32 == first)
                less[i] = carry + there;
        }
        carry += __shfl_sync(0xffffffffu, upto, 31);
    }
    *all = carry;
}

/* Where a block is: row after row, tile after tile. */
struct cursor {
    int64_t row;
    int tile;

    __device__ void advance(int n_tiles)
    {
        if (++tile < n_tiles)
            return;
        tile = 0;
        row += gridDim.x;
    }
};

template <class T, int THREADS, int C>
struct tile_stream : osw_stream<T, THREADS, C, 1> {
    enum { TILE = THREADS * C * (int)osw_chunk<T>::N };

    __device__ static int size(const struct tiles &t, const cursor &at)
    {
        int left = (int)t.v.x.n - at.tile * TILE;

        return left < TILE ? left : (int)TILE;
    }
    /* Send for a tile, if there is one. */
    __device__ static void send(const struct tiles &t, cursor *at, int stage)
    {
        if (at->row < t.v.x.n_rows)
            tile_stream::fetch(stage, 0,
                               (const T *)t.v.x.outer.data +
                                   osw_strided_offset(&t.v.x.outer, at->row) +
                                   at->tile * TILE,
                               size(t, *at));
        tile_stream::sent();
        at->advance(t.n_tiles);
    }
};

/* A block takes whole rows: tile after tile of each. */
template <class T, int THREADS, int C>
__global__ void __launch_bounds__(THREADS)
    scan_chunks(const __grid_constant__ struct tiles t)
{
    typedef tile_stream<T, THREADS, C> S;
    enum { N = osw_chunk<T>::N };
    int lane = (int)threadIdx.x % 32, stage = 0, turn = 0;
    cursor ahead = {blockIdx.x, 0}, at = ahead;
    double carry = 0.0;

    for (int i = 0; i < S::STAGES; i++)
        S::send(t, &ahead, i);
    for (; at.row < t.v.x.n_rows; at.advance(t.n_tiles), turn ^= 1) {
        int n = S::size(t, at);
        T *out = (T *)t.v.out.outer.data +
                 osw_strided_offset(&t.v.out.outer, at.row) + at.tile * S::TILE;
        osw_chunk<T> x[C];
        float upto[C], prior[C];
        double less[C], all;

        S::wait();
        S::read(x, stage, 0, 0, n, osw_pack_as<T>(0.0f));
        S::send(t, &ahead, stage);
        stage = S::next(stage);
        if (at.tile == 0)
            carry = 0.0;
#pragma unroll
        for (int i = 0; i < C; i++) {
            float v[N];

            osw_chunk_to_floats(x[i], v);
            upto[i] = osw_chunk_in_pairs<T>(v);
        }
#pragma unroll
        for (int i = 0; i < C; i++) {
            for (int o = 1; o < 32; o *= 2) {
                float other = __shfl_up_sync(0xffffffffu, upto[i], o);

                upto[i] += lane >= o ? other : 0.0f;
            }
            prior[i] = before_lane(upto[i]);
        }
        before_warp<THREADS / 32>(upto, less, &all, turn);
#pragma unroll
        for (int i = 0; i < C; i++) {
            double base = carry + less[i];
            float high = (float)base;
            float rest = (float)(base - (double)high);
            float low = (isfinite(rest) ? rest : 0.0f) + prior[i];
            float v[N], sum = 0.0f;
            osw_chunk<T> y;

            osw_chunk_to_floats(x[i], v);
#pragma unroll
            for (int e = 0; e < N; e++) {
                sum += v[e];
                v[e] = high + (low + sum);
            }
#pragma unroll
            for (int e = 0; e < N; e += 2)
                osw_pack_two(&y.v[e], v[e], v[e + 1]);
            if (S::first(i, 0) < n)
                osw_chunk_store(out, S::first(i, 0), n, y);
        }
        carry += all;
    }
}

template <class T, int THREADS, int C>
static int launch_chunks(const osw_call *call, const struct view &v)
{
    typedef tile_stream<T, THREADS, C> S;
    static osw_per_device<struct osw_stream_most> most;
    struct tiles t = {v, (int)((v.x.n + S::TILE - 1) / S::TILE)};

    return osw_stream_launch(call, S(), scan_chunks<T, THREADS, C>, &most,
                             v.x.n_rows, THREADS * C, t);
}

/* Do all rows of both start and end between chunks of n elements? */
static int in_chunks(const struct view &v, int64_t n)
{
    int whole =
        v.x.stride == 1 && v.out.stride == 1 && v.x.n % n == 0 &&
        v.x.n < INT32_MAX / 2 &&
        (((uintptr_t)v.x.outer.data | (uintptr_t)v.out.outer.data) & 15) == 0;

    for (int32_t d = 0; d < v.x.outer.ndim; d++)
        whole &= v.x.outer.strides[d] % n == 0;
    return whole; /* the output is dense */
}

template <class T>
static int launch_floats(const osw_call *call, const struct view &v)
{
    int64_t n = osw_chunk<T>::N;

    if (!in_chunks(v, n) || v.x.n_rows < osw_sm_count())
        return launch<T, T, float, double>(call, v);
    if (v.x.n <= 128 * n)
        return launch_chunks<T, 128, 1>(call, v);
    if (v.x.n <= 512 * n)
        return launch_chunks<T, 128, 4>(call, v);
    return launch_chunks<T, 128, 8>(call, v);
}

extern "C" int cumsum_kernel_impl(const osw_call *call)
{
    struct osw_cumsum c = {};
    struct view v;
    int rc = osw_cumsum_open(call, &c);
    osw_dtype t;

    if (rc)
        return rc;
    if (osw_row_view_of(&v.x, &c.x) || osw_row_view_of(&v.out, &c.out))
        return OSW_UNSUPPORTED;
    if (c.x.n_rows * c.x.n == 0)
        return 0;
    t = c.x.tensor->dtype;
    if (!c.is_float && t.code == OSW_INT && t.bits == 64)
        return launch<int64_t, int64_t, int64_t, int64_t>(call, v);
    if (!c.is_float && t.code == OSW_INT && t.bits == 32)
        return launch<int32_t, int64_t, int64_t, int64_t>(call, v);
    if (!osw_convert_same(t, c.out.tensor->dtype))
        return OSW_UNSUPPORTED;
    return osw_by_dtype(
        t, [&](auto e) { return launch_floats<decltype(e)>(call, v); });
}
