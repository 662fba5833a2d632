/* ops/library/cumsum/cumsum_fast.cu - rows in tiles: a block, or a warp where
 * rows are short, scans one tile after the other and carries the sum
 *
 * A thread takes EACH neighbours.  Tiles go through shared memory, so that
 * memory is read and written by neighbours in the warp, whatever its stride.
 * Floats are summed in float within a tile and carried in double; integers in
 * int64.
 */
#include "../chunks.cuh"
#include "../strided.cuh"
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
    return less + sum - v;
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
    return osw_by_dtype(t, [&](auto e) {
        return launch<decltype(e), decltype(e), float, double>(call, v);
    });
}
