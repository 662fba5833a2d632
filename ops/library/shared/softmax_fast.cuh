/* shared/softmax_fast.cuh - softmax and its kin in float, every element
 * read from memory once
 *
 * Four ways, by the length of a row in chunks of 16 bytes:
 * - streamed: in the registers of a group of threads, see stream.cuh;
 * - kept: in the shared memory of a block, see kept.cuh; what does not fit is
 *   read twice, the second time out of the second-level cache;
 * - ring: the same with no pause between rows, see softmax_ring.cuh;
 * - any: other strides and dtypes, element by element, two passes.
 */
#ifndef OSW_LIBRARY_SOFTMAX_FAST_CUH
#define OSW_LIBRARY_SOFTMAX_FAST_CUH

#include "softmax.h"
#include "softmax_ring.cuh"
#include "stream.cuh"

enum { OSW_SOFTMAX_HELD = 64 }; /* elements of a row, in a thread */

/* --- rows in registers --- */

/* Send for a row of x and y, if there is one. */
template <class F, class T, int GROUP, int C, int FITS>
__device__ static inline void osw_softmax_send(const struct osw_softmax_view &v,
                                               int64_t row, int stage)
{
    typedef osw_stream<T, GROUP, C, 1 + F::TWO, FITS> S;

    if (row < v.x.n_rows) {
        S::fetch(stage, 0, osw_softmax_row_at<const T>(v.x, row), (int)v.x.n);
        if (F::TWO)
            S::fetch(stage, F::TWO, osw_softmax_row_at<const T>(v.y, row),
                     (int)v.x.n);
    }
    S::sent();
}

template <class F, class T, int GROUP, int C, int FITS>
__global__ void __launch_bounds__(GROUP < 128 ? 128 : GROUP)
    osw_softmax_streamed(const __grid_constant__ struct osw_softmax_view v)
{
    typedef osw_stream<T, GROUP, C, 1 + F::TWO, FITS> S;
    const T fill = osw_pack_as<T>(F::fill());
    int n = (int)v.x.n, stage = 0, turn = 0;
    int64_t first_row = (int64_t)blockIdx.x * S::ROWS;
    int64_t step = (int64_t)gridDim.x * S::ROWS;
    int64_t row = first_row + threadIdx.x / GROUP;

    for (int ahead = 0; ahead < S::STAGES; ahead++)
        osw_softmax_send<F, T, GROUP, C, FITS>(v, row + ahead * step, ahead);
    /* the warp stays together */
    for (; first_row < v.x.n_rows; first_row += step, row += step, turn ^= 1) {
        int there = row < v.x.n_rows;
        int64_t at = there ? row : 0;
        int lead = osw_chunk_lead(osw_softmax_row_at<const T>(v.x, at));
        T *out = osw_softmax_row_at<T>(v.out, at);
        osw_chunk<T> x[C], y[C];
        typename F::State s = F::start();

        S::wait();
        S::read(x, stage, 0, lead, n, fill);
        if (F::TWO)
            S::read(y, stage, F::TWO, lead, n, fill);
        osw_softmax_send<F, T, GROUP, C, FITS>(v, row + S::STAGES * step,
                                               stage);
        stage = S::next(stage);
#pragma unroll
        for (int i = 0; i < C; i++)
            if (S::first(i, lead) < n)
                osw_softmax_add<F, T>(s, x[i], F::TWO ? y[i] : x[i]);
        auto ready = F::ready(osw_group_join<F, GROUP, FITS>(s, turn));
#pragma unroll
        for (int i = 0; i < C; i++)
            if (there && S::first(i, lead) < n)
                osw_chunk_store(
                    out, S::first(i, lead), n,
                    osw_softmax_chunk<F, T>(ready, x[i], F::TWO ? y[i] : x[i]));
    }
}

/* The same of x alone, held as floats. */
template <class F, class T, int GROUP, int C, int FITS>
__global__ void __launch_bounds__(osw_stream<T, GROUP, C, 1, FITS>::BLOCK,
                                  osw_stream<T, GROUP, C, 1, FITS>::BLOCKS)
    osw_softmax_held(const __grid_constant__ struct osw_softmax_view v)
{
    typedef osw_stream<T, GROUP, C, 1, FITS> S;
    const T fill = osw_pack_as<T>(F::fill());
    int n = (int)v.x.n, stage = 0, turn = 0;
    int64_t first_row = (int64_t)blockIdx.x * S::ROWS;
    int64_t step = (int64_t)gridDim.x * S::ROWS;
    int64_t row = first_row + threadIdx.x / GROUP;

    for (int ahead = 0; ahead < S::STAGES; ahead++)
        osw_softmax_send<F, T, GROUP, C, FITS>(v, row + ahead * step, ahead);
    /* the warp stays together */
    for (; first_row < v.x.n_rows; first_row += step, row += step, turn ^= 1) {
        int there = row < v.x.n_rows;
        T *out = osw_softmax_row_at<T>(v.out, there ? row : 0);
        int lead = osw_chunk_lead(out); /* x has the same */
        float x[C][S::N];

        S::wait();
        S::read_floats(x, stage, 0, lead, n, fill);
        osw_softmax_send<F, T, GROUP, C, FITS>(v, row + S::STAGES * step,
                                               stage);
        stage = S::next(stage);
        typename F::State own = F::take(x);
        auto ready =
            F::held_ready(osw_group_join<F, GROUP, FITS>(own, turn), own);
#pragma unroll
        for (int i = 0; i < C; i++) {
            osw_chunk<T> y;

            if (!there || S::first(i, lead) >= n)
                continue;
#pragma unroll
            for (int e = 0; e < S::N; e += 2)
                osw_pack_two(&y.v[e], F::held_value(ready, x[i][e]),
                             F::held_value(ready, x[i][e + 1]));
            osw_chunk_store(out, S::first(i, lead), n, y);
        }
    }
}

/* --- rows kept in shared memory --- */

template <class F> struct osw_softmax_kept_rows {
    enum { N = 1 + (F::TWO && F::SUMS_Y) }; /* else y is read in its turn */
};

/* Fetch what has room of a slot. */
template <class F, class T>
__device__ static inline void
osw_softmax_fetch(uint4 *rooms, int keep, const osw_kept_row<T> &x,
                  const osw_kept_row<T> &y, int slot)
{
    if (slot >= keep)
        return;
    x.fetch(rooms + slot, slot);
    if (osw_softmax_kept_rows<F>::N == 2)
        y.fetch(rooms + keep + slot, slot);
}

/* A slot of x, and of y where it is summed; beside the row it is `fill`. */
template <class F, class T>
__device__ static inline void
osw_softmax_slot(osw_chunk<T> &a, osw_chunk<T> &b, const uint4 *rooms, int keep,
                 const osw_kept_row<T> &x, const osw_kept_row<T> &y, int slot,
                 int n)
{
    const T fill = osw_pack_as<T>(F::fill());

    if (slot >= OSW_KEPT_LINE / 16 && slot < x.whole(keep)) {
        a.raw = rooms[slot];
        if (F::SUMS_Y)
            b.raw = rooms[keep + slot];
    } else if (x.has(slot)) {
        a = osw_kept_read(x, rooms, keep, slot, n, fill);
        if (F::SUMS_Y)
            b = osw_kept_read(y, rooms + keep, keep, slot, n, fill);
    } else {
#pragma unroll
        for (int e = 0; e < osw_chunk<T>::N; e++)
            a.v[e] = b.v[e] = fill;
    }
}

/* Add the slots of a row from `slot` on, of this thread: two at a time, then
 * those without room, and the last.
 */
template <class F, class T, int THREADS>
__device__ static inline void
osw_softmax_add_rest(typename F::State &s, const uint4 *rooms, int keep,
                     const osw_kept_row<T> &x, const osw_kept_row<T> &y,
                     int slot, int n)
{
    osw_chunk<T> a[2], b[2];

#pragma unroll 2
    for (; slot + THREADS < x.whole(keep); slot += 2 * THREADS) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            a[i].raw = rooms[slot + i * THREADS];
            if (F::SUMS_Y)
                b[i].raw = rooms[keep + slot + i * THREADS];
        }
        osw_softmax_add<F, T>(s, a, F::SUMS_Y ? b : a);
    }
#pragma unroll 4
    for (; slot < x.n_slots; slot += THREADS) {
        osw_softmax_slot<F>(a[0], b[0], rooms, keep, x, y, slot, n);
        osw_softmax_add<F, T>(s, a[0], F::SUMS_Y ? b[0] : a[0]);
    }
}

template <class F, class T, int THREADS>
__global__ void __launch_bounds__(THREADS)
    osw_softmax_kept(const __grid_constant__ struct osw_softmax_view v)
{
    enum {
        BOTH = osw_softmax_kept_rows<F>::N == 2,
        HOLD = OSW_KEPT_HOLD / osw_softmax_kept_rows<F>::N,
        /* Fetches of a thread that it leaves on their way when it goes on to
         * its next slot: with more, writes wait for them.
         */
        IN_FLIGHT = 1
    };
    const T fill = osw_pack_as<T>(F::fill());
    uint4 *rooms = (uint4 *)osw_shared();
    int n = (int)v.x.n, keep = v.keep, turn = 0;
    osw_kept_row<T> next_x(osw_softmax_row_at<const T>(v.x, blockIdx.x), n);
    osw_kept_row<T> next_y(osw_softmax_row_at<const T>(v.y, blockIdx.x), n,
                           next_x.lead);

    for (int slot = (int)threadIdx.x; slot < next_x.n_slots; slot += THREADS)
        osw_softmax_fetch<F>(rooms, keep, next_x, next_y, slot);
    for (int64_t row = blockIdx.x; row < v.x.n_rows;
         row += gridDim.x, turn ^= 1) {
        osw_kept_row<T> x = next_x, y = next_y;
        T *out = osw_softmax_row_at<T>(v.out, row);
        osw_chunk<T> held_x[HOLD], held_y[HOLD];
        typename F::State s = F::start();

        next_x = next_y = osw_kept_row<T>();
        if (row + gridDim.x < v.x.n_rows) {
            next_x = osw_kept_row<T>(
                osw_softmax_row_at<const T>(v.x, row + gridDim.x), n);
            next_y = osw_kept_row<T>(
                osw_softmax_row_at<const T>(v.y, row + gridDim.x), n,
                next_x.lead);
        }
        osw_kept_wait();
#pragma unroll
        for (int i = 0; i < HOLD; i++) {
            int slot = (int)threadIdx.x + i * THREADS;

            osw_softmax_slot<F>(held_x[i], held_y[i], rooms, keep, x, y, slot,
                                n);
            osw_softmax_fetch<F>(rooms, keep, next_x, next_y, slot);
            __pipeline_commit();
        }
        osw_softmax_add<F, T>(s, held_x, F::SUMS_Y ? held_y : held_x);
        osw_softmax_add_rest<F, T, THREADS>(
            s, rooms, keep, x, y, (int)threadIdx.x + HOLD * THREADS, n);
        auto ready = F::ready(osw_group_join<F, THREADS>(s, turn));
#pragma unroll 2
        for (int slot = (int)threadIdx.x + HOLD * THREADS;
             slot < x.n_slots || slot < next_x.n_slots; slot += THREADS) {
            if (x.has(slot)) {
                osw_chunk<T> a = osw_kept_read(x, rooms, keep, slot, n, fill);
                osw_chunk<T> b = a;

                if (F::TWO)
                    b = osw_kept_read(y, rooms + keep, BOTH ? keep : 0, slot, n,
                                      fill);
                osw_chunk_store(out, x.first(slot), n,
                                osw_softmax_chunk<F, T>(ready, a, b));
            }
            osw_softmax_fetch<F>(rooms, keep, next_x, next_y, slot);
            __pipeline_commit();
            __pipeline_wait_prior(IN_FLIGHT);
        }
#pragma unroll
        for (int i = 0; i < HOLD; i++) {
            int slot = (int)threadIdx.x + i * THREADS;

            if (!x.has(slot))
                continue;
            if (F::TWO && !F::SUMS_Y)
                held_y[i] = osw_kept_read(y, rooms, 0, slot, n, fill);
            osw_chunk_store(
                out, x.first(slot), n,
                osw_softmax_chunk<F, T>(ready, held_x[i],
                                        F::TWO ? held_y[i] : held_x[i]));
        }
    }
}

/* --- any strides and dtypes --- */

__device__ static inline float osw_row_float(const struct osw_row_view *r,
                                             int64_t at, int64_t i)
{
    return (float)osw_load(r->outer.dtype,
                           osw_strided_at(&r->outer, at + i * r->stride));
}

template <class F, int THREADS>
__global__ void __launch_bounds__(THREADS)
    osw_softmax_any(const __grid_constant__ struct osw_softmax_view v)
{
    int turn = 0;

    for (int64_t row = blockIdx.x; row < v.x.n_rows;
         row += gridDim.x, turn ^= 1) {
        int64_t px = osw_strided_offset(&v.x.outer, row);
        int64_t py = osw_strided_offset(&v.y.outer, row);
        int64_t out = osw_strided_offset(&v.out.outer, row);
        typename F::State s = F::start();

        for (int64_t i = threadIdx.x; i < v.x.n; i += THREADS) {
            float x[1] = {osw_row_float(&v.x, px, i)};
            float y[1] = {osw_row_float(&v.y, py, i)};

            F::add(s, x, y);
        }
        auto ready = F::ready(osw_group_join<F, THREADS>(s, turn));
        for (int64_t i = threadIdx.x; i < v.x.n; i += THREADS)
            osw_store(v.out.outer.dtype,
                      osw_strided_at(&v.out.outer, out + i * v.out.stride),
                      (double)F::value(ready, osw_row_float(&v.x, px, i),
                                       osw_row_float(&v.y, py, i)));
    }
}

/* --- host --- */

template <class F, class T, int GROUP, int C, int FITS>
static inline int osw_softmax_launch_streamed(const osw_call *call,
                                              const struct osw_softmax_view &v,
                                              int64_t n_slots)
{
    static osw_per_device<struct osw_stream_most> most;

    if constexpr (F::TWO)
        return osw_stream_launch(call, osw_stream<T, GROUP, C, 2, FITS>(),
                                 osw_softmax_streamed<F, T, GROUP, C, FITS>,
                                 &most, v.x.n_rows, n_slots, v);
    else
        return osw_stream_launch(call, osw_stream<T, GROUP, C, 1, FITS>(),
                                 osw_softmax_held<F, T, GROUP, C, FITS>, &most,
                                 v.x.n_rows, n_slots, v);
}

template <class F, class T> struct osw_softmax_streams {
    const osw_call *call;
    const struct osw_softmax_view *v;

    template <int GROUP, int C, int FITS> int run(int64_t n_slots) const
    {
        return osw_softmax_launch_streamed<F, T, GROUP, C, FITS>(call, *v,
                                                                 n_slots);
    }
};

template <class F, class T, int THREADS>
static inline int osw_softmax_launch_kept(const osw_call *call,
                                          const struct osw_softmax_view &v)
{
    static osw_per_device<size_t> allowed;
    auto kernel = osw_softmax_kept<F, T, THREADS>;
    size_t bytes = (size_t)(16 * osw_softmax_kept_rows<F>::N * v.keep);

    osw_launch_allow(kernel, (size_t)osw_kept_room(), &allowed.here());
    return osw_launch(call, kernel,
                      dim3(osw_kept_blocks(v.x.n_rows, osw_sm_count())),
                      dim3(THREADS), bytes, v);
}

template <class F, class T>
static inline int osw_softmax_by_length(const osw_call *call,
                                        struct osw_softmax_view v)
{
    int64_t n = osw_chunk<T>::N;
    int whole = v.x.n % n == 0 && ((uintptr_t)v.x.outer.data & 15) == 0;
    int64_t n_slots = (v.x.n + n - 1) / n + !whole;
    osw_softmax_streams<F, T> streams = {call, &v};
    enum { MOST = F::TWO ? 4 : OSW_SOFTMAX_HELD / osw_chunk<T>::N };
    int rc = OSW_UNSUPPORTED;

    if (v.x.n > INT32_MAX / 2)
        return OSW_UNSUPPORTED;
    if (n_slots <= OSW_STREAM_SLOTS)
        rc = osw_stream_by_length<MOST, MOST>(n_slots, streams);
    if constexpr (F::TWO && !F::SUMS_Y && sizeof(T) == 2)
        if (rc == OSW_UNSUPPORTED)
            rc = osw_softmax_launch_ring<F, T>(call, v);
    if (rc != OSW_UNSUPPORTED)
        return rc;
    v.keep = osw_kept_most(osw_kept_slots(v.x.n, sizeof(T)),
                           osw_softmax_kept_rows<F>::N);
    return osw_softmax_launch_kept<F, T, 1024>(call, v);
}

/* Can rows go in chunks?  One dtype, and chunks of all tensors alike. */
static inline int osw_softmax_in_chunks(const struct osw_softmax *s)
{
    const osw_tensor *x = s->x.tensor, *y = s->y.tensor, *out = s->out.tensor;
    int64_t n = 128 / x->dtype.bits;

    return osw_convert_same(x->dtype, out->dtype) &&
           osw_convert_same(y->dtype, out->dtype) && x->ndim > 0 &&
           osw_chunks_match(x, out, s->x.dim, n) &&
           osw_chunks_match(y, out, s->x.dim, n);
}

/* F: the formula for elements of a type. */
template <template <class> class F>
static inline int osw_softmax_fast(const osw_call *call,
                                   const struct osw_softmax *s)
{
    struct osw_softmax_view v;
    int rc = OSW_UNSUPPORTED;

    if (osw_row_view_of(&v.x, &s->x) || osw_row_view_of(&v.y, &s->y) ||
        osw_row_view_of(&v.out, &s->out) || s->x.tensor->dtype.bits == 64 ||
        s->out.tensor->dtype.bits == 64) /* computed in float */
        return OSW_UNSUPPORTED;
    v.keep = 0;
    if (s->x.n_rows * s->x.n == 0)
        return 0;
    if (osw_softmax_in_chunks(s))
        rc = osw_by_dtype(s->x.tensor->dtype, [&](auto t) {
            return osw_softmax_by_length<F<decltype(t)>, decltype(t)>(call, v);
        });
    if (rc != OSW_UNSUPPORTED)
        return rc;
    return osw_launch(call,
                      v.x.n > 1024 ? osw_softmax_any<F<float>, 256>
                                   : osw_softmax_any<F<float>, 32>,
                      dim3(osw_grid(v.x.n_rows, 1)),
                      dim3(v.x.n > 1024 ? 256 : 32), 0, v);
}

#endif /* OSW_LIBRARY_SOFTMAX_FAST_CUH */
