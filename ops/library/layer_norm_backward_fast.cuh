/* ops/library/layer_norm_backward_fast.cuh - the gradients of layer norm in
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

enum { OSW_NORM_ROWS = 4 }; /* of a block, at least */

/* a and b summed over the block; `turn` alternates from call to call. */
__device__ static inline float2 osw_norm_two_sums(float a, float b, int turn)
{
    __shared__ float2 of_warp[2][32];
    int n_warps = (int)blockDim.x / 32;
    float2 all = make_float2(0.0f, 0.0f);

    a = osw_group_in_warp(a, 32, osw_group_add());
    b = osw_group_in_warp(b, 32, osw_group_add());
    if (threadIdx.x % 32 == 0)
        of_warp[turn][threadIdx.x / 32] = make_float2(a, b);
    __syncthreads();
    for (int i = 0; i < n_warps; i++) {
        all.x += of_warp[turn][i].x;
        all.y += of_warp[turn][i].y;
    }
    return all;
}

/* What a thread has of a row: chunk `slot` of x and grad. */
template <class T> struct osw_norm_part {
    osw_chunk<T> x, grad;
};

template <class T>
__device__ static inline osw_norm_part<T>
osw_norm_read(const struct osw_norm_view &v, int64_t row, int64_t first)
{
    osw_norm_part<T> p;

    if (row < v.n_rows && first < v.n) {
        p.x.raw = *(const uint4 *)((const T *)v.x.data +
                                   osw_strided_offset(&v.x, row) + first);
        p.grad.raw = *(const uint4 *)((const T *)v.grad.data +
                                      osw_strided_offset(&v.grad, row) + first);
    }
    return p;
}

/* THREADS: at most. */
template <class T, int THREADS>
__global__ void __launch_bounds__(THREADS)
    osw_norm_backward(struct osw_norm_view v)
{
    enum { N = osw_chunk<T>::N };
    int64_t first = (int64_t)threadIdx.x * N;
    float weight[N], dweight[N] = {}, dbias[N] = {};
    osw_norm_part<T> next = osw_norm_read<T>(v, blockIdx.x, first);
    int turn = 0;

    osw_norm_factors<T, N>(v.weight, first < v.n ? first : 0, v.n, 1.0f,
                           weight);
    for (int64_t row = blockIdx.x; row < v.n_rows;
         row += gridDim.x, turn ^= 1) {
        osw_norm_part<T> part = next;
        float mean = v.mean[row], rstd = v.rstd[row];
        float sum_g = 0.0f, sum_gy = 0.0f;
        float2 all;
        osw_chunk<T> dx;

        next = osw_norm_read<T>(v, row + gridDim.x, first);
#pragma unroll
        for (int e = 0; e < N; e++) {
            float grad = osw_pack_float(part.grad.v[e]);
            float y = (osw_pack_float(part.x.v[e]) - mean) * rstd;

            if (first >= v.n) /* no columns for this thread */
                y = 0.0f;
            dweight[e] += grad * y;
            dbias[e] += grad;
            sum_g += grad * weight[e];
            sum_gy += grad * weight[e] * y;
        }
        all = osw_norm_two_sums(sum_g, sum_gy, turn);
        if (!v.out || first >= v.n)
            continue;
#pragma unroll
        for (int e = 0; e < N; e++) {
            float y = (osw_pack_float(part.x.v[e]) - mean) * rstd;
            float g = osw_pack_float(part.grad.v[e]) * weight[e];

            dx.v[e] = osw_pack_as<T>(
                rstd * (g - all.x / (float)v.n - y * (all.y / (float)v.n)));
        }
        *(uint4 *)((T *)v.out + row * v.n + first) = dx.raw;
    }
#pragma unroll
    for (int e = 0; e < N && first < v.n; e++) {
        if (v.dweight)
            v.dweight[blockIdx.x * v.n + first + e] = dweight[e];
        if (v.dbias)
            v.dbias[blockIdx.x * v.n + first + e] = dbias[e];
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
        osw_norm_vector_of(&v->weight, l->weight, l->x->dtype, 1))
        return 0;
    v->n_rows = l->n_rows;
    v->n = l->n;
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

static inline int osw_layer_norm_backward_fast(const osw_call *call,
                                               const struct osw_layer_norm *l)
{
    struct osw_norm_view v;
    int64_t threads, blocks, most;
    int rc;

    if (!osw_norm_backward_fits(l, &v))
        return osw_layer_norm_any_backward(call, l, 0);
    threads = (l->n / (128 / l->x->dtype.bits) + 31) / 32 * 32;
    most = osw_sm_count() * (1024 / threads < 8 ? 1024 / threads : 8);
    blocks = (l->n_rows + OSW_NORM_ROWS - 1) / OSW_NORM_ROWS;
    blocks = blocks < most ? blocks : most;
    if (osw_norm_partials(call, l, &v, blocks))
        return OSW_ERROR;
    rc = osw_by_dtype(l->x->dtype, [&](auto t) {
        return osw_launch(call,
                          threads <= 256 ? osw_norm_backward<decltype(t), 256>
                                         : osw_norm_backward<decltype(t), 1024>,
                          dim3((unsigned)blocks), dim3((unsigned)threads), 0,
                          v);
    });
    if (!rc && v.dweight)
        rc = osw_fold(call, v.dweight, (int)blocks, v.n, 1.0, l->dweight);
    if (!rc && v.dbias)
        rc = osw_fold(call, v.dbias, (int)blocks, v.n, 1.0, l->dbias);
    return rc;
}

#endif /* OSW_LIBRARY_LAYER_NORM_BACKWARD_FAST_CUH */
