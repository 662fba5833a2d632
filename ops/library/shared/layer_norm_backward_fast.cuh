/* shared/layer_norm_backward_fast.cuh - the gradients of layer norm in
 * float, every element read from memory once
 *
 * A block walks over rows; a thread keeps its columns, so that it sums their
 * gradients of weight and bias in registers.  The sums of all blocks are
 * folded in a fixed order.  Rows that do not come in whole chunks go to
 * layer_norm_any.cuh.
 */
#ifndef OSW_LIBRARY_LAYER_NORM_BACKWARD_FAST_CUH
#define OSW_LIBRARY_LAYER_NORM_BACKWARD_FAST_CUH

#include "fold.cuh"
#include "layer_norm_rows.cuh"

#include <cuda_pipeline_primitives.h>

enum {
    OSW_NORM_ROWS = 4,  /* of a block, at least */
    OSW_NORM_CHUNKS = 4 /* of a row, that a thread takes */
};

/* a and b summed over the block; `turn` alternates from call to call. */
__device__ static inline float2 osw_norm_two_sums(float a, float b, int turn)
{
    __shared__ float2 of_warp[2][32];
    int n_warps = (int)blockDim.x / 32, lane = (int)threadIdx.x % 32;
    float2 all = make_float2(0.0f, 0.0f);

    a = osw_group_in_warp(a, 32, osw_group_add());
    b = osw_group_in_warp(b, 32, osw_group_add());
    if (lane == 0)
        of_warp[turn][threadIdx.x / 32] = make_float2(a, b);
    if (n_warps == 1)
        return make_float2(a, b);
    __syncthreads();
    if (n_warps <= 4) {
        for (int warp = 0; warp < n_warps; warp++) {
            all.x += of_warp[turn][warp].x;
            all.y += of_warp[turn][warp].y;
        }
        return all;
    }
    if (lane < n_warps)
        all = of_warp[turn][lane];
    all.x = osw_group_in_warp(all.x, 32, osw_group_add());
    all.y = osw_group_in_warp(all.y, 32, osw_group_add());
    return all;
}

/* What a thread has of a row: C chunks of x and of grad, fetched AHEAD rows
 * before.
 */
template <class T, int C> struct osw_norm_rooms {
    enum {
        N = osw_chunk<T>::N,
        STAGE = 2 * 16 * C,                /* of shared memory, per thread */
        MOST = sizeof(T) == 2 ? 256 : 128, /* bytes on their way */
        AHEAD = MOST / STAGE < 1   ? 1
                : MOST / STAGE > 4 ? 4
                                   : MOST / STAGE,
        BYTES = STAGE * AHEAD,
        THREADS = C * N > 16 ? 256 : 512 /* that there are registers for */
    };

    __device__ static uint4 *at(int stage, int tensor, int i)
    {
        return (uint4 *)osw_shared() +
               ((2 * stage + tensor) * C + i) * (int)blockDim.x + threadIdx.x;
    }
    /* The column that chunk i begins with. */
    __device__ static int first(int i)
    {
        return ((int)threadIdx.x + i * (int)blockDim.x) * N;
    }
    __device__ static void send(const struct osw_norm_view &v, int64_t row,
                                int stage)
    {
        if (row < v.n_rows) {
            const T *x = (const T *)v.x.data + osw_strided_offset(&v.x, row);
            const T *grad =
                (const T *)v.grad.data + osw_strided_offset(&v.grad, row);

#pragma unroll
            for (int i = 0; i < C; i++) {
                if (first(i) >= (int)v.n)
                    continue;
                __pipeline_memcpy_async(at(stage, 0, i), x + first(i), 16);
                __pipeline_memcpy_async(at(stage, 1, i), grad + first(i), 16);
            }
        }
        __pipeline_commit();
    }
};

/* THREADS: at most. */
template <class T, int THREADS, int C>
__global__ void __launch_bounds__(THREADS,
                                  osw_norm_rooms<T, C>::THREADS < THREADS
                                      ? 1
                                      : osw_norm_rooms<T, C>::THREADS / THREADS)
    osw_norm_backward(const __grid_constant__ struct osw_norm_view v)
{
    typedef osw_norm_rooms<T, C> rooms;
    enum { N = osw_chunk<T>::N };
    int64_t row = blockIdx.x;
    osw_chunk<T> weight[C];
    float dweight[C][N] = {}, dbias[C][N] = {};
    float next_mean = 0.0f, next_rstd = 0.0f;
    int turn = 0, stage = 0, n = (int)v.n;

    for (int ahead = 0; ahead < rooms::AHEAD; ahead++)
        rooms::send(v, row + ahead * (int64_t)gridDim.x, ahead);
#pragma unroll
    for (int i = 0; i < C; i++) {
        for (int e = 0; e < N; e++)
            weight[i].v[e] = osw_pack_as<T>(1.0f);
        if (v.weight.data && rooms::first(i) < n)
            weight[i].raw =
                *(const uint4 *)((const T *)v.weight.data + rooms::first(i));
    }
    if (row < v.n_rows) {
        next_mean = v.mean[row];
        next_rstd = v.rstd[row];
    }
    for (; row < v.n_rows; row += gridDim.x, turn ^= 1) {
        float mean = next_mean, rstd = next_rstd;
        float y[C][N], g[C][N], sum_g[4] = {}, sum_gy[4] = {};
        float2 all;

        if (row + gridDim.x < v.n_rows) {
            next_mean = v.mean[row + gridDim.x];
            next_rstd = v.rstd[row + gridDim.x];
        }
        __pipeline_wait_prior(rooms::AHEAD - 1);
#pragma unroll
        for (int i = 0; i < C; i++) {
            osw_chunk<T> x, grad;

            x.raw = *rooms::at(stage, 0, i);
            grad.raw = *rooms::at(stage, 1, i);
            osw_chunk_to_floats(x, y[i]);
            osw_chunk_to_floats(grad, g[i]);
        }
        rooms::send(v, row + rooms::AHEAD * (int64_t)gridDim.x, stage);
        stage = stage + 1 == rooms::AHEAD ? 0 : stage + 1;
#pragma unroll
        for (int i = 0; i < C; i++) {
            float w[N];

            if (rooms::first(i) >= n)
                continue;
            osw_chunk_to_floats(weight[i], w);
#pragma unroll
            for (int e = 0; e < N; e++) {
                y[i][e] = (y[i][e] - mean) * rstd;
                dweight[i][e] += g[i][e] * y[i][e];
                dbias[i][e] += g[i][e];
                g[i][e] *= w[e];
                sum_g[e % 4] += g[i][e];
                sum_gy[e % 4] += g[i][e] * y[i][e];
            }
        }
        all = osw_norm_two_sums(
            (sum_g[0] + sum_g[1]) + (sum_g[2] + sum_g[3]),
            (sum_gy[0] + sum_gy[1]) + (sum_gy[2] + sum_gy[3]), turn);
        if (!v.out)
            continue;
        all.x *= (float)v.per_element;
        all.y *= (float)v.per_element;
#pragma unroll
        for (int i = 0; i < C; i++) {
            osw_chunk<T> dx;

            if (rooms::first(i) >= n)
                continue;
#pragma unroll
            for (int e = 0; e < N; e++) /* in pairs it is 3 % slower */
                dx.v[e] =
                    osw_pack_as<T>(rstd * (g[i][e] - all.x - y[i][e] * all.y));
            __stwt((uint4 *)((T *)v.out + row * v.n + rooms::first(i)), dx.raw);
        }
    }
#pragma unroll
    for (int i = 0; i < C; i++)
#pragma unroll
        for (int e = 0; e < N && rooms::first(i) < n; e++) {
            if (v.dweight)
                v.dweight[blockIdx.x * v.n + rooms::first(i) + e] =
                    dweight[i][e];
            if (v.dbias)
                v.dbias[blockIdx.x * v.n + rooms::first(i) + e] = dbias[i][e];
        }
}

/* Can the fused kernel take it?  Fills v if so. */
static inline int osw_norm_backward_fits(const struct osw_layer_norm *l,
                                         struct osw_norm_view *v)
{
    memset(v, 0, sizeof(*v));
    if (osw_norm_rows(&v->x, l, l->x) || osw_norm_rows(&v->grad, l, l->grad) ||
        !osw_convert_same(l->x->dtype, l->grad->dtype) ||
        !osw_convert_is_f32(l->mean->dtype) ||
        !osw_convert_is_f32(l->rstd->dtype) || !osw_is_contiguous(l->mean) ||
        !osw_is_contiguous(l->rstd) || !osw_norm_is_whole(&v->x, l->n) ||
        !osw_norm_is_whole(&v->grad, l->n) ||
        osw_norm_vector_of(&v->weight, l->weight, l->x->dtype, 1) ||
        (v->weight.data && !v->weight.whole))
        return 0;
    v->n_rows = l->n_rows;
    v->n = l->n;
    v->per_element = 1.0 / (double)l->n;
    v->out = l->dx ? (char *)osw_data(l->dx) : NULL;
    v->mean = (float *)osw_data(l->mean);
    v->rstd = (float *)osw_data(l->rstd);
    return l->n_rows > 0 && l->n > 0 && ((uintptr_t)v->out & 15) == 0 &&
           l->n / (128 / l->x->dtype.bits) <= 1024;
}

/* Room for the sums of all blocks; 0, or OSW_ERROR. */
static inline int osw_norm_partials(const osw_call *call,
                                    const struct osw_layer_norm *l,
                                    struct osw_norm_view *v, int64_t blocks)
{
    float *sums;

    if (!l->dweight && !l->dbias)
        return 0;
    sums = (float *)osw_workspace(call, (size_t)(2 * blocks * v->n) * 4);
    if (!sums)
        return OSW_ERROR;
    v->dweight = l->dweight ? sums : NULL;
    v->dbias = l->dbias ? sums + blocks * v->n : NULL;
    return 0;
}

/* Blocks of a kernel, at most, by their warps; 0: not asked for yet. */
struct osw_norm_most {
    int64_t blocks[33];
    size_t allowed; /* shared memory of a block */
};

template <class T, int THREADS, int C>
static inline int osw_norm_backward_run(const osw_call *call,
                                        const struct osw_layer_norm *l,
                                        struct osw_norm_view v)
{
    auto kernel = osw_norm_backward<T, THREADS, C>;
    int64_t per = (int64_t)C * osw_chunk<T>::N;
    int threads = (int)((l->n + per - 1) / per + 31) / 32 * 32;
    size_t bytes = (size_t)(osw_norm_rooms<T, C>::BYTES * threads);
    static osw_per_device<struct osw_norm_most> kept;
    struct osw_norm_most *known = &kept.here();
    int64_t *most = &known->blocks[threads / 32];
    int64_t blocks = (l->n_rows + OSW_NORM_ROWS - 1) / OSW_NORM_ROWS;
    int64_t all = (int64_t)osw_norm_rooms<T, C>::BYTES * THREADS;
    int64_t room = osw_launch_room();

    if ((int64_t)bytes > room)
        return OSW_UNSUPPORTED;
    osw_launch_allow(kernel, (size_t)(all < room ? all : room),
                     &known->allowed);
    if (*most == 0)
        *most = osw_launch_resident(kernel, threads, bytes);
    blocks = blocks < *most ? blocks : *most;
    if (osw_norm_partials(call, l, &v, blocks))
        return OSW_ERROR;
    osw_launch(call, kernel, dim3((unsigned)blocks), dim3((unsigned)threads),
               bytes, v);
    if (v.dweight && v.dbias)
        return osw_fold_two(call, v.dweight, v.dbias, (int)blocks, v.n,
                            l->dweight, l->dbias);
    if (v.dweight)
        osw_fold(call, v.dweight, (int)blocks, v.n, 1.0, l->dweight);
    if (v.dbias)
        osw_fold(call, v.dbias, (int)blocks, v.n, 1.0, l->dbias);
    return 0;
}

static inline int osw_layer_norm_backward_fast(const osw_call *call,
                                               const struct osw_layer_norm *l)
{
    struct osw_norm_view v;
    int rc;

    if (!osw_norm_backward_fits(l, &v))
        return osw_layer_norm_any_backward(call, l, 0);
    rc = osw_by_dtype(l->x->dtype, [&](auto t) {
        typedef decltype(t) T;
        enum { N = osw_chunk<T>::N, C = OSW_NORM_CHUNKS };

        if (l->n <= 32 * N) /* a warp */
            return osw_norm_backward_run<T, 32, 1>(call, l, v);
        if (l->n <= 128 * C * N)
            return osw_norm_backward_run<T, 128, C>(call, l, v);
        if (l->n <= 256 * C * N)
            return osw_norm_backward_run<T, 256, C>(call, l, v);
        if (l->n <= 512 * C * N)
            return osw_norm_backward_run<T, 512, C>(call, l, v);
        return osw_norm_backward_run<T, 1024, 1>(call, l, v);
    });
    return rc == OSW_UNSUPPORTED ? osw_layer_norm_any_backward(call, l, 0) : rc;
}

#endif /* OSW_LIBRARY_LAYER_NORM_BACKWARD_FAST_CUH */
