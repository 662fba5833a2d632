/* ops/library/native_group_norm/native_group_norm_fast.cu - every element is
 * read from memory once
 *
 * A group of channels of an image is a row.  It is kept in shared memory, of
 * one block or, where it is long or rows are few, of the blocks of a cluster, a
 * part each. Mean and variance are two passes over it there; a cluster adds up
 * what its blocks have. A thread reads only chunks that it fetched itself.
 */
#include "../shared/group_norm.h"
#include "../shared/groups.cuh"
#include "../shared/norm_sums.cuh"

#include <cuda_pipeline_primitives.h>

enum {
    MOST_THREADS = 512,
    MOST_BLOCKS = 8,        /* of a cluster */
    PART_BYTES = 8 * 1024,  /* of a row, not to be divided further */
    CHUNKS_OF_A_THREAD = 8, /* at least, where it has so many */
};

struct view {
    const char *x;
    char *out;
    int64_t n, plane; /* elements of a row, of a channel */
    int64_t depth, groups;
    int64_t part; /* elements of a block, whole chunks */
    double eps;
    struct osw_channels weight, bias, mean, rstd;
};

/* --- the blocks of a row --- */

struct team {
    int rank, size;
};

__device__ static inline struct team team_of(void)
{
    struct team t = {0, 1};

#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(t.rank));
    asm("mov.u32 %0, %%cluster_nctarank;\n" : "=r"(t.size));
#endif
    return t;
}

__device__ static inline void team_sync(const struct team &t)
{
#if __CUDA_ARCH__ >= 900
    if (t.size > 1)
        asm volatile("barrier.cluster.arrive.release.aligned;\n"
                     "barrier.cluster.wait.acquire.aligned;\n" ::
                         : "memory");
#endif
}

/* What a block has at `p`. */
__device__ static inline double team_read(const double *p, int rank)
{
    double v = *p;

#if __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %1, %2;\n"
                 "ld.shared::cluster.f64 %0, [there];\n"
                 "}\n"
                 : "=d"(v)
                 : "r"((unsigned)__cvta_generic_to_shared(p)), "r"(rank)
                 : "memory");
#endif
    return v;
}

/* Over all threads of all blocks of the row; `slot`: 0, then 1. */
__device__ static inline double team_sum(const struct team &t, double v,
                                         int slot)
{
    __shared__ double sums[2];

    v = osw_group_in_block(v, osw_group_add());
    if (t.size == 1)
        return v;
    if (threadIdx.x == 0)
        sums[slot] = v;
    team_sync(t);
    v = 0.0;
    for (int rank = 0; rank < t.size; rank++)
        v += team_read(sums + slot, rank);
    return v;
}

/* --- a part of a row --- */

/* Factors of the channels of a part, the first of which is `channel`. */
__device__ static inline void load_factors(const struct view &v, int64_t row,
                                           int64_t channel, int n, float2 *to)
{
    int64_t c = row % v.groups * v.depth + channel;

    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        to[i] = make_float2((float)osw_channels_get(&v.weight, c + i, 1),
                            (float)osw_channels_get(&v.bias, c + i, 0));
}

/* Write a chunk, normalised. `at`: of its first element, in the channels of
 * the part. IN_ONE: it is in one channel.
 */
template <class T, bool IN_ONE>
__device__ static inline void put(T *to, const osw_chunk<T> &x, uint32_t at,
                                  uint32_t plane, const float2 *factors,
                                  struct osw_norm_mean mean, float rstd)
{
    enum { N = osw_chunk<T>::N };
    float2 f = factors[at / plane];
    osw_chunk<T> out;
    float a[N];

    osw_chunk_to_floats(x, a);
#pragma unroll
    for (int e = 0; e < N; e++) {
        if (!IN_ONE)
            f = factors[(at + e) / plane];
        a[e] = osw_norm_centred(a[e], mean) * rstd * f.x + f.y;
    }
#pragma unroll
    for (int e = 0; e < N; e += 2)
        osw_pack_two(&out.v[e], a[e], a[e + 1]);
    __stwt((uint4 *)to, out.raw);
}

template <class T, bool IN_ONE>
__global__ void __launch_bounds__(MOST_THREADS)
    normalize(const __grid_constant__ struct view v)
{
    enum { N = osw_chunk<T>::N };
    struct team team = team_of();
    int64_t row = blockIdx.x / team.size, first = team.rank * v.part;
    int64_t left = v.n - first, channel = first / v.plane;
    int n = (int)(left < 0 ? 0 : left < v.part ? left : v.part);
    uint32_t ahead = (uint32_t)(first % v.plane); /* in the first channel */
    osw_chunk<T> *kept = (osw_chunk<T> *)osw_shared();
    float2 *factors = (float2 *)(kept + v.part / N);
    const T *x = (const T *)v.x + row * v.n + first;
    T *out = (T *)v.out + row * v.n + first;
    double sum = 0.0, squares = 0.0, of_mean;
    struct osw_norm_mean mean;
    float rstd;

    for (int i = (int)threadIdx.x; i < n / N; i += (int)blockDim.x)
        __pipeline_memcpy_async(kept + i, x + i * N, 16);
    __pipeline_commit();
    if (n > 0)
        load_factors(v, row, channel,
                     (int)((ahead + n - 1) / (uint32_t)v.plane) + 1, factors);
    __pipeline_wait_prior(0);
    for (int i = (int)threadIdx.x; i < n / N; i += (int)blockDim.x)
        sum += osw_norm_sum<T>(kept[i]);
    of_mean = team_sum(team, sum, 0) / (double)v.n;
    mean = osw_norm_mean_of(of_mean);
    for (int i = (int)threadIdx.x; i < n / N; i += (int)blockDim.x)
        squares += (double)osw_norm_squares<T>(kept[i], 0, N, mean);
    squares = team_sum(team, squares, 1) / (double)v.n;
    rstd = (float)(1.0 / sqrt(squares + v.eps));
    __syncthreads(); /* factors are there */
    for (int i = (int)threadIdx.x; i < n / N; i += (int)blockDim.x)
        put<T, IN_ONE>(out + i * N, kept[i], ahead + i * N, (uint32_t)v.plane,
                       factors, mean, rstd);
    if (threadIdx.x == 0 && team.rank == 0) {
        osw_channels_set(&v.mean, row, of_mean);
        osw_channels_set(&v.rstd, row, 1.0 / sqrt(squares + v.eps));
    }
    team_sync(team); /* none ends before others have read its sums */
}

/* --- host --- */

static int has_clusters(void)
{
    static osw_per_device<int> kept;
    int &major = kept.here();

    if (!major)
        major = osw_device_ask(cudaDevAttrComputeCapabilityMajor, 1);
    return major >= 9;
}

/* Bytes of shared memory for a part of so many elements. */
static int64_t room_of(const struct view &v, int64_t part, int64_t bytes)
{
    int64_t channels = (part + v.plane - 2) / v.plane + 1;

    return part * bytes + channels * (int64_t)sizeof(float2);
}

/* Elements of one of `blocks` parts. */
static int64_t part_of(const struct view &v, int blocks, int64_t chunk)
{
    return ((v.n + blocks - 1) / blocks + chunk - 1) / chunk * chunk;
}

/* Blocks of a row: as many as it needs to fit, more while the device is not
 * full. 0: it does not fit.
 */
static int blocks_of(const struct view &v, int64_t n_rows, int64_t bytes)
{
    int most = has_clusters() ? MOST_BLOCKS : 1, n = 1;
    int64_t chunk = 16 / bytes;

    while (n < most &&
           (room_of(v, part_of(v, n, chunk), bytes) > osw_launch_room() ||
            (n_rows * n < 2 * (int64_t)osw_sm_count() &&
             part_of(v, n, chunk) * bytes > PART_BYTES)))
        n *= 2;
    return room_of(v, part_of(v, n, chunk), bytes) > osw_launch_room() ? 0 : n;
}

template <class T, bool IN_ONE>
static int launch(const osw_call *call, struct view v, int64_t n_rows)
{
    static osw_per_device<size_t> allowed;
    int blocks = blocks_of(v, n_rows, (int64_t)sizeof(T));
    int64_t chunk = osw_chunk<T>::N, threads;

    if (blocks == 0 || n_rows * blocks > INT32_MAX)
        return OSW_UNSUPPORTED;
    osw_launch_allow(normalize<T, IN_ONE>, (size_t)osw_launch_room(),
                     &allowed.here());
    v.part = part_of(v, blocks, chunk);
    threads = v.part / chunk / CHUNKS_OF_A_THREAD / 32 * 32;
    threads = threads < 128            ? 128
              : threads > MOST_THREADS ? MOST_THREADS
                                       : threads;
    return osw_launch_clusters(
        call, normalize<T, IN_ONE>, blocks, dim3((unsigned)(n_rows * blocks)),
        dim3((unsigned)threads), (size_t)room_of(v, v.part, (int64_t)sizeof(T)),
        v);
}

extern "C" int native_group_norm_kernel_impl(const osw_call *call)
{
    struct osw_group_norm p = {};
    int rc = osw_group_norm_open(call, &p);
    const osw_tensor *x = osw_arg_tensor(call, 0);
    struct view v;

    if (rc)
        return rc;
    if (p.x.n * p.groups * p.n == 0 || p.n > INT32_MAX / 2 ||
        !osw_is_contiguous(x) ||
        !osw_chunk_aligned(p.x.data, p.n, x->dtype.bits / 8) ||
        !osw_chunk_aligned(p.out.data, p.n, x->dtype.bits / 8))
        return OSW_UNSUPPORTED;
    v.x = p.x.data;
    v.out = p.out.data;
    v.n = p.n;
    v.plane = p.x.y * p.x.x;
    v.depth = p.depth;
    v.groups = p.groups;
    v.eps = p.eps;
    v.weight = p.weight;
    v.bias = p.bias;
    v.mean = p.mean;
    v.rstd = p.rstd;
    return osw_by_dtype(x->dtype, [&](auto e) {
        typedef decltype(e) T;

        return v.plane % osw_chunk<T>::N == 0
                   ? launch<T, true>(call, v, p.x.n * p.groups)
                   : launch<T, false>(call, v, p.x.n * p.groups);
    });
}
