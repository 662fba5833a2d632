/* shared/layer_norm_fast.cuh - layer norm in float, every element read
 * from memory once
 *
 * A row is held in the registers of a group of threads (stream.cuh), or kept in
 * the shared memory of a block (kept.cuh); mean and variance are two passes
 * over these.  Rows that are too long or not dense go to layer_norm_any.cuh.
 */
#ifndef OSW_LIBRARY_LAYER_NORM_FAST_CUH
#define OSW_LIBRARY_LAYER_NORM_FAST_CUH

#include "kept.cuh"
#include "layer_norm_rows.cuh"
#include "norm_sums.cuh"
#include "stream.cuh"

enum { OSW_NORM_HELD = 32 }; /* elements of a row, in a thread */

__device__ static inline float osw_norm_rstd(const struct osw_norm_view &v,
                                             double squares)
{
    return 1.0f / sqrtf((float)(squares * v.per_element + v.eps));
}

/* Write a chunk of a row, normalised. */
template <class T>
__device__ static inline void
osw_norm_put(const struct osw_norm_view &v, int64_t row, int first,
             const osw_chunk<T> &x, struct osw_norm_mean mean, float rstd)
{
    enum { N = osw_chunk<T>::N };
    float weight[N], bias[N], a[N];
    osw_chunk<T> out;

    osw_norm_factors<T, N>(v.weight, first, v.n, 1.0f, weight);
    osw_norm_factors<T, N>(v.bias, first, v.n, 0.0f, bias);
    osw_chunk_to_floats(x, a);
#pragma unroll
    for (int e = 0; e < N; e++)
        a[e] = osw_norm_centred(a[e], mean) * rstd * weight[e] + bias[e];
#pragma unroll
    for (int e = 0; e < N; e += 2)
        osw_pack_two(&out.v[e], a[e], a[e + 1]);
    osw_chunk_store((T *)v.out + row * v.n, first, (int)v.n, out);
}

/* --- rows in registers --- */

/* Send for a row, if there is one. */
template <class T, int GROUP, int C, int FITS>
__device__ static inline void osw_norm_send(const struct osw_norm_view &v,
                                            int64_t row, int stage)
{
    typedef osw_stream<T, GROUP, C, 1, FITS> S;

    if (row < v.n_rows)
        S::fetch(stage, 0, (const T *)v.x.data + osw_strided_offset(&v.x, row),
                 (int)v.n);
    S::sent();
}

/* The mean of a row's elements in float, `about`, and how they lie around it:
 * sums of (x - about) and of its square.  What `about` is wrong by is the first
 * one's mean.
 */
struct osw_norm_moments {
    typedef float2 State;

    __device__ static State start()
    {
        return make_float2(0.0f, 0.0f);
    }
    template <int WIDTH> __device__ static State join(State s)
    {
        return make_float2(osw_group_in_warp(s.x, WIDTH, osw_group_add()),
                           osw_group_in_warp(s.y, WIDTH, osw_group_add()));
    }
};

/* Of what a thread has: its part of the mean. */
template <int C, int N>
__device__ static inline float osw_norm_about(const float (&x)[C][N],
                                              float per_element)
{
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};

#pragma unroll
    for (int i = 0; i < C; i++)
#pragma unroll
        for (int e = 0; e < N; e++) /* no sum is larger than an element */
            sum[e % 4] = fmaf(x[i][e], per_element, sum[e % 4]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* What a thread has becomes its distance from `about`. */
template <class S, int C, int N>
__device__ static inline float2 osw_norm_centre(float (&x)[C][N], int n,
                                                float about)
{
    float2 sum[2] = {};

#pragma unroll
    for (int i = 0; i < C; i++) {
        if (S::first(i, 0) >= n)
            continue;
#pragma unroll
        for (int e = 0; e < N; e++) {
            x[i][e] -= about;
            sum[e % 2].x += x[i][e];
            sum[e % 2].y = fmaf(x[i][e], x[i][e], sum[e % 2].y);
        }
    }
    return make_float2(sum[0].x + sum[1].x, sum[0].y + sum[1].y);
}

/* Weight or bias of a thread's chunks, in whole chunks: up to 4 stay in its
 * registers as they are, more are read from the first-level cache row by row.
 */
template <class T, int C> struct osw_norm_own {
    enum { KEEP = C <= 4 };
    osw_chunk<T> chunk[KEEP ? C : 1];

    __device__ void load(const struct osw_norm_vector &w, int i, int first)
    {
        if (KEEP)
            chunk[i].raw = *(const uint4 *)((const T *)w.data + first);
    }
    __device__ void get(const struct osw_norm_vector &w, int i, int first,
                        float (&v)[osw_chunk<T>::N])
    {
        osw_chunk<T> &c = chunk[KEEP ? i : 0];

        if (KEEP) /* floats would not fit: they are made anew */
            asm volatile(""
                         : "+r"(c.raw.x), "+r"(c.raw.y), "+r"(c.raw.z),
                           "+r"(c.raw.w));
        else
            c.raw = *(const uint4 *)((const T *)w.data + first);
        osw_chunk_to_floats(c, v);
    }
};

/* Rows, weight and bias in whole chunks. */
template <class T, int GROUP, int C, int FITS>
__global__ void __launch_bounds__(osw_stream<T, GROUP, C, 1, FITS>::BLOCK,
                                  osw_stream<T, GROUP, C, 1, FITS>::BLOCKS)
    osw_norm_fixed(const __grid_constant__ struct osw_norm_view v)
{
    typedef osw_stream<T, GROUP, C, 1, FITS> S;
    enum { N = S::N };
    int n = (int)v.n, stage = 0;
    int64_t first_row = (int64_t)blockIdx.x * S::ROWS;
    int64_t step = (int64_t)gridDim.x * S::ROWS;
    int64_t row = first_row + threadIdx.x / GROUP;
    osw_norm_own<T, C> weight, bias;

    S::clear_beside(n);
    for (int ahead = 0; ahead < S::STAGES; ahead++)
        osw_norm_send<T, GROUP, C, FITS>(v, row + ahead * step, ahead);
#pragma unroll
    for (int i = 0; i < C; i++)
        if (S::first(i, 0) < n) {
            weight.load(v.weight, i, S::first(i, 0));
            bias.load(v.bias, i, S::first(i, 0));
        }
    /* the warp stays together */
    for (; first_row < v.n_rows; first_row += step, row += step) {
        int there = S::ROWS == 1 || row < v.n_rows;
        T *out = (T *)v.out + (there ? row : 0) * v.n;
        float x[C][N], about, low, squares, rstd, shift;
        float2 sums;

        S::wait();
        S::read_whole(x, stage);
        osw_norm_send<T, GROUP, C, FITS>(v, row + S::STAGES * step, stage);
        stage = S::next(stage);
        about = osw_group_join<osw_group_float, GROUP, FITS>(
            osw_norm_about(x, (float)v.per_element), 0);
        sums = osw_group_join<osw_norm_moments, GROUP, FITS>(
            osw_norm_centre<S>(x, n, about), 0);
        low = sums.x * (float)v.per_element;
        squares = fmaxf(fmaf(-low, sums.x, sums.y), 0.0f);
        rstd = osw_norm_rstd(v, isnan(sums.y) ? sums.y : squares);
        shift = -low * rstd;
#pragma unroll
        for (int i = 0; i < C; i++) {
            float w[N], b[N];
            osw_chunk<T> y;

            if (!there || S::first(i, 0) >= n)
                continue;
            weight.get(v.weight, i, S::first(i, 0), w);
            bias.get(v.bias, i, S::first(i, 0), b);
#pragma unroll
            for (int e = 0; e < N; e += 2)
                osw_pack_two(
                    &y.v[e], fmaf(fmaf(x[i][e], rstd, shift), w[e], b[e]),
                    fmaf(fmaf(x[i][e + 1], rstd, shift), w[e + 1], b[e + 1]));
            __stwt((uint4 *)(out + S::first(i, 0)), y.raw);
        }
        if (there && S::lane() == 0) {
            v.mean[row] = isnan(low) ? about : about + low;
            v.rstd[row] = rstd;
        }
    }
}

template <class T, int GROUP, int C, int FITS>
__global__ void __launch_bounds__(GROUP < 128 ? 128 : GROUP)
    osw_norm_streamed(const __grid_constant__ struct osw_norm_view v)
{
    typedef osw_stream<T, GROUP, C, 1, FITS> S;
    const T zero = osw_pack_as<T>(0.0f);
    int n = (int)v.n, stage = 0;
    int64_t first_row = (int64_t)blockIdx.x * S::ROWS;
    int64_t step = (int64_t)gridDim.x * S::ROWS;
    int64_t row = first_row + threadIdx.x / GROUP;

    for (int ahead = 0; ahead < S::STAGES; ahead++)
        osw_norm_send<T, GROUP, C, FITS>(v, row + ahead * step, ahead);
    /* the warp stays together */
    for (; first_row < v.n_rows; first_row += step, row += step) {
        int there = row < v.n_rows;
        int64_t at = osw_strided_offset(&v.x, there ? row : 0);
        int lead = osw_chunk_lead((const T *)v.x.data + at);
        osw_chunk<T> x[C];
        double sum = 0.0;
        float squares = 0.0f, rstd;
        struct osw_norm_mean mean;

        S::wait();
        S::read(x, stage, 0, lead, n, zero);
        osw_norm_send<T, GROUP, C, FITS>(v, row + S::STAGES * step, stage);
        stage = S::next(stage);
#pragma unroll
        for (int i = 0; i < C; i++)
            sum += osw_norm_sum(x[i]);
        sum = osw_group_join<osw_group_total, GROUP, FITS>(sum, 0);
        mean = osw_norm_mean_of(sum * v.per_element);
#pragma unroll
        for (int i = 0; i < C; i++)
            squares += osw_norm_squares(x[i], S::first(i, lead), n, mean);
        rstd = osw_norm_rstd(v, osw_group_join<osw_group_total, GROUP, FITS>(
                                    (double)squares, 1));
#pragma unroll
        for (int i = 0; i < C; i++)
            if (there && S::first(i, lead) < n)
                osw_norm_put(v, row, S::first(i, lead), x[i], mean, rstd);
        if (there && S::lane() == 0) {
            v.mean[row] = mean.high;
            v.rstd[row] = rstd;
        }
    }
}

/* --- rows kept in shared memory --- */

template <class T>
__device__ static inline osw_kept_row<T>
osw_norm_row(const struct osw_norm_view &v, int64_t row)
{
    if (row >= v.n_rows)
        return osw_kept_row<T>();
    return osw_kept_row<T>((const T *)v.x.data + osw_strided_offset(&v.x, row),
                           v.n);
}

template <class T, int THREADS>
__global__ void __launch_bounds__(THREADS)
    osw_norm_kept(const __grid_constant__ struct osw_norm_view v)
{
    const T zero = osw_pack_as<T>(0.0f);
    uint4 *rooms = (uint4 *)osw_shared();
    int n = (int)v.n, keep = v.keep;
    osw_kept_row<T> next = osw_norm_row<T>(v, blockIdx.x);

    for (int slot = (int)threadIdx.x; slot < next.n_slots; slot += THREADS)
        next.fetch(rooms + slot, slot);
    for (int64_t row = blockIdx.x; row < v.n_rows; row += gridDim.x) {
        osw_kept_row<T> x = next;
        double sum = 0.0, squares = 0.0;
        struct osw_norm_mean mean;
        float rstd;

        next = osw_norm_row<T>(v, row + gridDim.x);
        osw_kept_wait();
#pragma unroll 4
        for (int slot = (int)threadIdx.x; slot < x.n_slots; slot += THREADS)
            sum += osw_norm_sum(osw_kept_read(x, rooms, keep, slot, n, zero));
        sum = osw_group_join<osw_group_total, THREADS>(sum, 0);
        mean = osw_norm_mean_of(sum * v.per_element);
#pragma unroll 4
        for (int slot = (int)threadIdx.x; slot < x.n_slots; slot += THREADS)
            squares += (double)osw_norm_squares(
                osw_kept_read(x, rooms, keep, slot, n, zero), x.first(slot), n,
                mean);
        squares = osw_group_join<osw_group_total, THREADS>(squares, 1);
        rstd = osw_norm_rstd(v, squares);
#pragma unroll 2
        for (int slot = (int)threadIdx.x;
             slot < x.n_slots || slot < next.n_slots; slot += THREADS) {
            if (x.has(slot))
                osw_norm_put(v, row, x.first(slot),
                             osw_kept_read(x, rooms, keep, slot, n, zero), mean,
                             rstd);
            next.fetch(rooms + slot, slot);
        }
        if (threadIdx.x == 0) {
            v.mean[row] = mean.high;
            v.rstd[row] = rstd;
        }
    }
}

/* --- host --- */

template <class T, int GROUP, int C, int FITS>
static inline int osw_norm_launch_streamed(const osw_call *call,
                                           const struct osw_norm_view &v,
                                           int64_t n_slots)
{
    static osw_per_device<struct osw_stream_most> most;

    return osw_stream_launch(call, osw_stream<T, GROUP, C, 1, FITS>(),
                             osw_norm_streamed<T, GROUP, C, FITS>, &most,
                             v.n_rows, n_slots, v);
}

template <class T, int GROUP, int C, int FITS>
static inline int osw_norm_launch_fixed(const osw_call *call,
                                        const struct osw_norm_view &v,
                                        int64_t n_slots)
{
    static osw_per_device<struct osw_stream_most> most;

    return osw_stream_launch(call, osw_stream<T, GROUP, C, 1, FITS>(),
                             osw_norm_fixed<T, GROUP, C, FITS>, &most, v.n_rows,
                             n_slots, v);
}

template <class T, int FIXED> struct osw_norm_streams {
    const osw_call *call;
    const struct osw_norm_view *v;

    template <int GROUP, int C, int FITS> int run(int64_t n_slots) const
    {
        if constexpr (FIXED)
            return osw_norm_launch_fixed<T, GROUP, C, FITS>(call, *v, n_slots);
        else
            return osw_norm_launch_streamed<T, GROUP, C, FITS>(call, *v,
                                                               n_slots);
    }
};

template <class T, int THREADS>
static inline int osw_norm_launch_kept(const osw_call *call,
                                       const struct osw_norm_view &v)
{
    static osw_per_device<size_t> allowed;
    auto kernel = osw_norm_kept<T, THREADS>;

    osw_launch_allow(kernel, (size_t)osw_kept_room(), &allowed.here());
    return osw_launch(call, kernel,
                      dim3(osw_kept_blocks(v.n_rows, osw_sm_count())),
                      dim3(THREADS), 16 * (size_t)v.keep, v);
}

template <class T>
static inline int osw_norm_by_length(const osw_call *call,
                                     struct osw_norm_view v, int whole)
{
    int64_t n = osw_chunk<T>::N;
    int64_t n_slots = (v.n + n - 1) / n + !whole;
    osw_norm_streams<T, 0> streams = {call, &v};
    osw_norm_streams<T, 1> fixed = {call, &v};
    int rc = OSW_UNSUPPORTED;

    if (n_slots <= OSW_STREAM_SLOTS)
        rc = v.weight.whole && v.bias.whole
                 ? osw_stream_by_length<OSW_NORM_HELD / osw_chunk<T>::N, 4>(
                       n_slots, fixed)
                 : osw_stream_by_length<4, 4>(n_slots, streams);
    n_slots = osw_kept_slots(v.n, sizeof(T));
    if (rc != OSW_UNSUPPORTED || n_slots * 16 > osw_kept_room())
        return rc;
    v.keep = (int)n_slots;
    return osw_norm_launch_kept<T, 1024>(call, v);
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
    v.per_element = 1.0 / (double)l->n;
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
