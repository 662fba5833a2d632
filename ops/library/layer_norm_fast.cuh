/* ops/library/layer_norm_fast.cuh - layer norm in float, every element read
 * from memory once
 *
 * A row is held in the registers of a group of threads; mean and variance are
 * two passes over these.  Rows that are too long or not dense go to
 * layer_norm_any.cuh.
 */
#ifndef OSW_LIBRARY_LAYER_NORM_FAST_CUH
#define OSW_LIBRARY_LAYER_NORM_FAST_CUH

#include "layer_norm_rows.cuh"

enum { OSW_NORM_BLOCK = 128 }; /* threads of a block of small groups */

/* Sum of (x - mean)^2 over the elements that a thread has of the row. */
template <class T, int GROUP, int C>
__device__ static inline float osw_norm_squares(const osw_held<T, GROUP, C> &x,
                                                int64_t n, int lane, int lead,
                                                float mean)
{
    enum { N = osw_chunk<T>::N };
    float sum = 0.0f;

#pragma unroll
    for (int i = 0; i < C; i++) {
        int64_t first = (int64_t)(lane + i * GROUP) * N - lead;

#pragma unroll
        for (int e = 0; e < N; e++) {
            float d = osw_pack_float(x.chunk[i].v[e]) - mean;

            if (first + e >= 0 && first + e < n)
                sum += d * d;
        }
    }
    return sum;
}

template <class T, int GROUP, int C>
__global__ void osw_norm_held(struct osw_norm_view v)
{
    enum { N = osw_chunk<T>::N };
    int lane = (int)threadIdx.x % GROUP;
    int64_t row =
        (int64_t)blockIdx.x * (blockDim.x / GROUP) + threadIdx.x / GROUP;
    int there = row < v.n_rows;
    float mean = 0.0f, rstd;
    osw_held<T, GROUP, C> x;
    const T *px;
    int lead;

    row = there ? row : 0; /* the warp stays together */
    px = (const T *)v.x.data + osw_strided_offset(&v.x, row);
    lead = osw_chunk_lead(px);
    x.load(px, v.n, lane, osw_pack_as<T>(0.0f));
    x.each([&](float f) { mean += f; });
    mean = osw_group_sum<GROUP>(mean) / (float)v.n;
    rstd = osw_group_sum<GROUP>(
        osw_norm_squares<T, GROUP, C>(x, v.n, lane, lead, mean));
    rstd = 1.0f / sqrtf(rstd / (float)v.n + (float)v.eps);
#pragma unroll
    for (int i = 0; i < C; i++) {
        int64_t first = (int64_t)(lane + i * GROUP) * N - lead;
        float weight[N], bias[N];
        osw_chunk<T> out;

        if (!there || first >= v.n)
            continue;
        osw_norm_factors<T, N>(v.weight, first, v.n, 1.0f, weight);
        osw_norm_factors<T, N>(v.bias, first, v.n, 0.0f, bias);
#pragma unroll
        for (int e = 0; e < N; e++)
            out.v[e] = osw_pack_as<T>(
                (osw_pack_float(x.chunk[i].v[e]) - mean) * rstd * weight[e] +
                bias[e]);
        osw_chunk_store((T *)v.out + row * v.n, first, v.n, out);
    }
    if (there && lane == 0) {
        v.mean[row] = mean;
        v.rstd[row] = rstd;
    }
}

template <class T, int GROUP, int C>
static inline int osw_norm_launch_held(const osw_call *call,
                                       const struct osw_norm_view &v)
{
    int threads = GROUP > OSW_NORM_BLOCK ? GROUP : (int)OSW_NORM_BLOCK;
    int64_t per_block = threads / GROUP;
    int64_t blocks = (v.n_rows + per_block - 1) / per_block;

    if (blocks > INT32_MAX)
        return OSW_UNSUPPORTED;
    return osw_launch(call, osw_norm_held<T, GROUP, C>, dim3((unsigned)blocks),
                      dim3((unsigned)threads), 0, v);
}

template <class T>
static inline int osw_norm_by_length(const osw_call *call,
                                     const struct osw_norm_view &v, int whole)
{
    int64_t n = osw_chunk<T>::N;
    int64_t n_slots = (v.n + n - 1) / n + !whole;

    if (n_slots <= 8)
        return osw_norm_launch_held<T, 8, 1>(call, v);
    if (n_slots <= 32)
        return osw_norm_launch_held<T, 32, 1>(call, v);
    if (n_slots <= 64)
        return osw_norm_launch_held<T, 32, 2>(call, v);
    if (n_slots <= 128)
        return osw_norm_launch_held<T, 32, 4>(call, v);
    if (n_slots <= 512)
        return osw_norm_launch_held<T, 128, 4>(call, v);
    if (n_slots <= 2048)
        return osw_norm_launch_held<T, 512, 4>(call, v);
    return OSW_UNSUPPORTED;
}

static inline int osw_layer_norm_fast(const osw_call *call,
                                      const struct osw_layer_norm *l)
{
    struct osw_norm_view v;
    int rc, whole;

    memset(&v, 0, sizeof(v));
    rc = osw_norm_rows(&v.x, l, l->x);
    whole = !rc && osw_norm_is_whole(&v.x, l->n);
    if (rc || l->n_rows == 0 || l->n == 0 ||
        (int64_t)osw_data(l->out) % 16 != 0 ||
        !osw_chunks_match(l->x, l->out, l->x->ndim - 1,
                          128 / l->x->dtype.bits) ||
        osw_norm_vector_of(&v.weight, l->weight, l->x->dtype, whole) ||
        osw_norm_vector_of(&v.bias, l->bias, l->x->dtype, whole))
        return osw_layer_norm_any_forward(call, l, 0);
    v.n_rows = l->n_rows;
    v.n = l->n;
    v.eps = l->eps;
    v.out = (char *)osw_data(l->out);
    v.mean = (float *)osw_data(l->out_mean);
    v.rstd = (float *)osw_data(l->out_rstd);
    rc = osw_by_dtype(l->x->dtype, [&](auto t) {
        return osw_norm_by_length<decltype(t)>(call, v, whole);
    });
    return rc == OSW_UNSUPPORTED ? osw_layer_norm_any_forward(call, l, 0) : rc;
}

#endif /* OSW_LIBRARY_LAYER_NORM_FAST_CUH */
