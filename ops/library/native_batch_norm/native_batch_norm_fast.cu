/* ops/library/native_batch_norm/native_batch_norm_fast.cu - sums of channels in
 * one pass over memory, then the normalised elements
 *
 * Blocks share a channel, a part each.  A part sums what differs from the
 * channel's first element, and its squares, so that a large mean takes no bits
 * from a small variance.  Differences within a chunk are in float, those
 * between chunks in double: the first element may be an outlier.  The second
 * kernel adds up the parts of its channel,
 * always in the same order; what it reads is mostly still in the cache.
 */
#include "../shared/batch_norm.h"
#include "../shared/groups.cuh"
#include "../shared/norm_sums.cuh"

enum {
    THREADS = 256,
    CHUNKS_OF_A_THREAD = 4, /* at least */
    BLOCKS_OF_AN_SM = 8,
};

struct sums {
    double of, squares; /* of differences from the first element */
};

struct view {
    struct osw_batch_norm b;
    const char *x;
    char *out;
    uint32_t plane, n; /* chunks of a plane, of a channel */
    uint32_t part;     /* chunks of a part */
    int parts;         /* of a channel */
    struct sums *sums; /* [c, parts] */
};

/* N elements that are read and written at once. */
template <class T, int N> struct chunk {
    osw_pack<T, N> e;

    __device__ void load(const T *p)
    {
        e = *(const osw_pack<T, N> *)p;
    }
    __device__ float get(int i) const
    {
        return osw_pack_float(e.v[i]);
    }
};

/* The chunks of a block, and where each is. */
struct part {
    int channel, number;
    uint32_t first, end;
};

__device__ static inline struct part part_of(const struct view &v)
{
    struct part p;

    p.channel = (int)(blockIdx.x / (unsigned)v.parts);
    p.number = (int)(blockIdx.x % (unsigned)v.parts);
    p.first = (uint32_t)p.number * v.part;
    p.end = min(p.first + v.part, v.n);
    return p;
}

/* In chunks of the tensor. */
__device__ static inline int64_t place_of(const struct view &v, int channel,
                                          uint32_t i)
{
    return ((int64_t)(i / v.plane) * v.b.x.c + channel) * v.plane + i % v.plane;
}

__device__ static inline float if_finite(float f)
{
    return isfinite(f) ? f : 0.0f;
}

/* The first element of a channel, if it is a number. */
template <class T, int N>
__device__ static inline float first_of(const struct view &v, int channel)
{
    return if_finite(
        osw_pack_float(((const T *)v.x)[place_of(v, channel, 0) * N]));
}

template <class T, int N>
static __global__ void __launch_bounds__(THREADS)
    add_up(const __grid_constant__ struct view v)
{
    struct part p = part_of(v);
    float first = first_of<T, N>(v, p.channel);
    struct sums s = {0.0, 0.0};

#pragma unroll 4
    for (uint32_t i = p.first + threadIdx.x; i < p.end; i += THREADS) {
        float sum = 0.0f, squares = 0.0f, near; /* around it */
        chunk<T, N> c;
        double apart;

        c.load((const T *)v.x + place_of(v, p.channel, i) * N);
        near = if_finite(c.get(0));
        apart = (double)near - (double)first;
#pragma unroll
        for (int e = 0; e < N; e++) {
            float d = c.get(e) - near;

            sum += d;
            squares += d * d;
        }
        s.of += N * apart + (double)sum;
        s.squares += (double)squares + apart * (N * apart + 2.0 * (double)sum);
    }
    s.of = osw_group_in_block(s.of, osw_group_add());
    s.squares = osw_group_in_block(s.squares, osw_group_add());
    if (threadIdx.x == 0)
        v.sums[blockIdx.x] = s;
}

/* Mean and variance of a channel from its parts. */
template <class T, int N>
__device__ static inline void join_parts(const struct view &v, int channel,
                                         double *mean, double *variance)
{
    const struct sums *of = v.sums + (int64_t)channel * v.parts;
    double sum = 0.0, squares = 0.0, n = (double)v.b.n;

    for (int i = (int)threadIdx.x; i < v.parts; i += THREADS) {
        sum += of[i].of;
        squares += of[i].squares;
    }
    sum = osw_group_in_block(sum, osw_group_add());
    squares = osw_group_in_block(squares, osw_group_add());
    *mean = (double)first_of<T, N>(v, channel) + sum / n;
    squares = (squares - sum * sum / n) / n;
    *variance = squares < 0.0 ? 0.0 : squares; /* of rounding; NaN stays */
}

template <class T, int N>
static __global__ void __launch_bounds__(THREADS)
    normalize(const __grid_constant__ struct view v)
{
    struct part p = part_of(v);
    double mean = osw_channels_get(&v.b.running_mean, p.channel, 0);
    double variance = osw_channels_get(&v.b.running_var, p.channel, 0);
    float weight = (float)osw_channels_get(&v.b.weight, p.channel, 1);
    float bias = (float)osw_channels_get(&v.b.bias, p.channel, 0), scale;
    struct osw_norm_mean centre;

    if (v.b.training) {
        join_parts<T, N>(v, p.channel, &mean, &variance);
        if (p.number == 0 && threadIdx.x == 0)
            osw_batch_norm_keep(&v.b, p.channel, mean, variance);
    }
    centre = osw_norm_mean_of(mean);
    scale = (float)osw_batch_norm_invstd(variance, v.b.eps);
#pragma unroll 4
    for (uint32_t i = p.first + threadIdx.x; i < p.end; i += THREADS) {
        int64_t at = place_of(v, p.channel, i) * N;
        chunk<T, N> c;

        c.load((const T *)v.x + at);
#pragma unroll
        for (int e = 0; e < N; e++)
            c.e.v[e] = osw_pack_as<T>(
                osw_norm_centred(c.get(e), centre) * scale * weight + bias);
        *(osw_pack<T, N> *)((T *)v.out + at) = c.e;
    }
}

/* --- host --- */

/* Parts that fill the device, of chunks enough for every thread. */
static void divide(struct view *v)
{
    int64_t least = THREADS * CHUNKS_OF_A_THREAD;
    int64_t most = (v->n + least - 1) / least;
    int64_t parts =
        ((int64_t)osw_sm_count() * BLOCKS_OF_AN_SM + v->b.x.c - 1) / v->b.x.c;

    parts = parts < most ? parts : most;
    v->part = (uint32_t)((v->n + parts - 1) / parts);
    v->parts = (int)((v->n + v->part - 1) / v->part);
}

template <class T, int N> static int launch(const osw_call *call, struct view v)
{
    int64_t plane = v.b.x.y * v.b.x.x / N;
    dim3 grid;

    v.plane = (uint32_t)plane;
    v.n = (uint32_t)(plane * v.b.x.n);
    divide(&v);
    grid = dim3((unsigned)(v.b.x.c * v.parts));
    if (v.b.training) {
        v.sums = (struct sums *)osw_workspace(call, sizeof(struct sums) *
                                                        (size_t)grid.x);
        if (!v.sums)
            return OSW_ERROR;
        osw_launch(call, add_up<T, N>, grid, dim3(THREADS), 0, v);
    }
    return osw_launch(call, normalize<T, N>, grid, dim3(THREADS), 0, v);
}

/* Are all planes whole chunks of so many bytes? */
static int in_chunks(const struct view &v, size_t element, uintptr_t chunk)
{
    size_t plane = (size_t)(v.b.x.y * v.b.x.x) * element;

    return (uintptr_t)v.x % chunk == 0 && (uintptr_t)v.out % chunk == 0 &&
           plane % chunk == 0;
}

extern "C" int native_batch_norm_kernel_impl(const osw_call *call)
{
    struct osw_batch_norm b = {};
    int rc = osw_batch_norm_open(call, &b);
    const osw_tensor *x = osw_arg_tensor(call, 0);
    struct view v = {};

    if (rc)
        return rc;
    if (!osw_is_contiguous(x) || x->ndim < 3 || b.n > INT32_MAX ||
        b.x.c > INT32_MAX / 4096)
        return OSW_UNSUPPORTED;
    v.b = b;
    v.x = b.x.data;
    v.out = b.out.data;
    if (b.n == 0 || b.x.c == 0)
        return OSW_UNSUPPORTED;
    return osw_by_dtype(x->dtype, [&](auto e) {
        typedef decltype(e) T;

        if (in_chunks(v, sizeof(T), 16))
            return launch<T, 16 / sizeof(T)>(call, v);
        return in_chunks(v, sizeof(T), 8) ? launch<T, 8 / sizeof(T)>(call, v)
                                          : launch<T, 1>(call, v);
    });
}
