/* ops/library/softmax_fast.cuh - softmax and its kin in float, every element
 * read from memory once
 *
 * Three ways, by the length of a row in chunks of 16 bytes:
 * - streamed: in the registers of a group of threads, see stream.cuh;
 * - kept: in the shared memory of a block, see kept.cuh; what does not fit is
 *   read twice, the second time out of the second-level cache;
 * - any: other strides and dtypes, element by element, two passes.
 */
#ifndef OSW_LIBRARY_SOFTMAX_FAST_CUH
#define OSW_LIBRARY_SOFTMAX_FAST_CUH

#include "kept.cuh"
#include "softmax.h"
#include "softmax_formulas.cuh"
#include "stream.cuh"
#include "strided.cuh"

/* Elements that a thread holds of a row: 32 or 64. */
#ifndef OSW_SOFTMAX_HELD
#define OSW_SOFTMAX_HELD 64
#endif

/* Rows too long for registers: is the next one read while one is written? */
#ifndef OSW_SOFTMAX_RING
#define OSW_SOFTMAX_RING 1
#endif
/* By two blocks of 512 threads at a time, where there is room? */
#ifndef OSW_SOFTMAX_TWO
#define OSW_SOFTMAX_TWO 1
#endif

struct osw_softmax_view {
    struct osw_row_view x, y; /* y: output, of the backward forms; else x */
    struct osw_row_view out;
    int keep; /* slots of each row that have room in shared memory */
};

template <class T>
__device__ static inline T *osw_softmax_row_at(const struct osw_row_view &v,
                                               int64_t row)
{
    return (T *)v.outer.data + osw_strided_offset(&v.outer, row);
}

template <class F, class T, class S>
__device__ static inline osw_chunk<T>
osw_softmax_chunk(S s, const osw_chunk<T> &x, const osw_chunk<T> &y)
{
    enum { N = osw_chunk<T>::N };
    float a[N], b[N];
    osw_chunk<T> out;

    osw_chunk_to_floats(x, a);
    osw_chunk_to_floats(y, b);
#pragma unroll
    for (int e = 0; e < N; e += 2)
        osw_pack_two(&out.v[e], F::value(s, a[e], b[e]),
                     F::value(s, a[e + 1], b[e + 1]));
    return out;
}

template <class F, class T>
__device__ static inline void osw_softmax_add(typename F::State &s,
                                              const osw_chunk<T> &x,
                                              const osw_chunk<T> &y)
{
    float a[osw_chunk<T>::N], b[osw_chunk<T>::N];

    osw_chunk_to_floats(x, a);
    osw_chunk_to_floats(y, b);
    F::add(s, a, b);
}

/* --- rows in registers --- */

/* Send for a row of x and y, if there is one. */
template <class F, class T, int GROUP, int C>
__device__ static inline void osw_softmax_send(const struct osw_softmax_view &v,
                                               int64_t row, int stage)
{
    typedef osw_stream<T, GROUP, C, 1 + F::TWO> S;

    if (row < v.x.n_rows) {
        S::fetch(stage, 0, osw_softmax_row_at<const T>(v.x, row), (int)v.x.n);
        if (F::TWO)
            S::fetch(stage, F::TWO, osw_softmax_row_at<const T>(v.y, row),
                     (int)v.x.n);
    }
    S::sent();
}

template <class F, class T, int GROUP, int C>
__global__ void __launch_bounds__(GROUP < 128 ? 128 : GROUP)
    osw_softmax_streamed(const __grid_constant__ struct osw_softmax_view v)
{
    typedef osw_stream<T, GROUP, C, 1 + F::TWO> S;
    const T fill = osw_pack_as<T>(F::fill());
    int n = (int)v.x.n, stage = 0, turn = 0;
    int64_t first_row = (int64_t)blockIdx.x * S::ROWS;
    int64_t step = (int64_t)gridDim.x * S::ROWS;
    int64_t row = first_row + threadIdx.x / GROUP;

    for (int ahead = 0; ahead < S::STAGES; ahead++)
        osw_softmax_send<F, T, GROUP, C>(v, row + ahead * step, ahead);
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
        osw_softmax_send<F, T, GROUP, C>(v, row + S::STAGES * step, stage);
        stage = S::next(stage);
#pragma unroll
        for (int i = 0; i < C; i++)
            if (S::first(i, lead) < n)
                osw_softmax_add<F, T>(s, x[i], F::TWO ? y[i] : x[i]);
        auto ready = F::ready(osw_group_join<F, GROUP>(s, turn));
#pragma unroll
        for (int i = 0; i < C; i++)
            if (there && S::first(i, lead) < n)
                osw_chunk_store(
                    out, S::first(i, lead), n,
                    osw_softmax_chunk<F, T>(ready, x[i], F::TWO ? y[i] : x[i]));
    }
}

/* The same of x alone, held as floats. */
template <class F, class T, int GROUP, int C>
__global__ void __launch_bounds__(osw_stream<T, GROUP, C, 1>::BLOCK,
                                  osw_stream<T, GROUP, C, 1>::BLOCKS)
    osw_softmax_held(const __grid_constant__ struct osw_softmax_view v)
{
    typedef osw_stream<T, GROUP, C, 1> S;
    const T fill = osw_pack_as<T>(F::fill());
    int n = (int)v.x.n, stage = 0, turn = 0;
    int64_t first_row = (int64_t)blockIdx.x * S::ROWS;
    int64_t step = (int64_t)gridDim.x * S::ROWS;
    int64_t row = first_row + threadIdx.x / GROUP;

    for (int ahead = 0; ahead < S::STAGES; ahead++)
        osw_softmax_send<F, T, GROUP, C>(v, row + ahead * step, ahead);
    /* the warp stays together */
    for (; first_row < v.x.n_rows; first_row += step, row += step, turn ^= 1) {
        int there = row < v.x.n_rows;
        T *out = osw_softmax_row_at<T>(v.out, there ? row : 0);
        int lead = osw_chunk_lead(out); /* x has the same */
        float x[C][S::N];

        S::wait();
        S::read_floats(x, stage, 0, lead, n, fill);
        osw_softmax_send<F, T, GROUP, C>(v, row + S::STAGES * step, stage);
        stage = S::next(stage);
        typename F::State own = F::take(x);
        auto ready = F::held_ready(osw_group_join<F, GROUP>(own, turn), own);
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
    if (slot >= keep || slot >= x.n_slots)
        return;
    osw_kept_fetch(rooms + slot, x.at(slot));
    if (osw_softmax_kept_rows<F>::N == 2)
        osw_kept_fetch(rooms + keep + slot, y.at(slot));
}

template <class F, class T, int THREADS>
__global__ void __launch_bounds__(THREADS)
    osw_softmax_kept(const __grid_constant__ struct osw_softmax_view v)
{
    enum {
        BOTH = osw_softmax_kept_rows<F>::N == 2,
        HOLD = OSW_KEPT_HOLD / osw_softmax_kept_rows<F>::N
    };
    const T fill = osw_pack_as<T>(F::fill());
    uint4 *rooms = (uint4 *)osw_shared();
    int n = (int)v.x.n, keep = v.keep, turn = 0;
    osw_kept_row<T> next_x(osw_softmax_row_at<const T>(v.x, blockIdx.x), n);
    osw_kept_row<T> next_y(osw_softmax_row_at<const T>(v.y, blockIdx.x), n);

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
                osw_softmax_row_at<const T>(v.y, row + gridDim.x), n);
        }
        osw_kept_wait();
#pragma unroll
        for (int i = 0; i < HOLD; i++) {
            int slot = (int)threadIdx.x + i * THREADS;

            if (slot < x.n_slots) {
                held_x[i] = osw_kept_read(x, rooms, keep, slot, n, fill);
                if (F::SUMS_Y)
                    held_y[i] =
                        osw_kept_read(y, rooms + keep, keep, slot, n, fill);
                osw_softmax_add<F, T>(s, held_x[i],
                                      F::SUMS_Y ? held_y[i] : held_x[i]);
            }
            osw_softmax_fetch<F>(rooms, keep, next_x, next_y, slot);
        }
#pragma unroll 2
        for (int slot = (int)threadIdx.x + HOLD * THREADS; slot < x.n_slots;
             slot += THREADS) {
            osw_chunk<T> a = osw_kept_read(x, rooms, keep, slot, n, fill);
            osw_chunk<T> b = a;

            if (F::SUMS_Y)
                b = osw_kept_read(y, rooms + keep, keep, slot, n, fill);
            osw_softmax_add<F, T>(s, a, b);
        }
        auto ready = F::ready(osw_group_join<F, THREADS>(s, turn));
#pragma unroll 2
        for (int slot = (int)threadIdx.x + HOLD * THREADS;
             slot < x.n_slots || slot < next_x.n_slots; slot += THREADS) {
            if (slot < x.n_slots) {
                osw_chunk<T> a = osw_kept_read(x, rooms, keep, slot, n, fill);
                osw_chunk<T> b = a;

                if (F::TWO)
                    b = osw_kept_read(y, rooms + keep, BOTH ? keep : 0, slot, n,
                                      fill);
                osw_chunk_store(out, x.first(slot), n,
                                osw_softmax_chunk<F, T>(ready, a, b));
            }
            osw_softmax_fetch<F>(rooms, keep, next_x, next_y, slot);
        }
#pragma unroll
        for (int i = 0; i < HOLD; i++) {
            int slot = (int)threadIdx.x + i * THREADS;

            if (slot >= x.n_slots)
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

/* --- the same, with the next rows always on their way --- */

/* The rooms of a block are a ring of layers, one chunk of each thread.  A row
 * takes n_layers of it, but its first HOLD layers move on into registers.
 * While layer k of a row is written, the one AHEAD of what has arrived is sent
 * for, and what arrives is added to the state of the next row: between two
 * rows there is nothing to wait for but each other.
 */
template <class F, class T, int THREADS, int AHEAD> struct osw_softmax_ring {
    enum { HOLD = 4, N = osw_chunk<T>::N };

    OSW_HD static int64_t layers(int64_t n_layers)
    {
        return n_layers - HOLD + AHEAD;
    }
    /* n_slots: of a row. */
    static int64_t bytes(int64_t n_slots)
    {
        return layers((n_slots + THREADS - 1) / THREADS) * THREADS * 16;
    }

    const struct osw_softmax_view &v;
    int n, n_layers, n_rooms;
    osw_kept_row<T> x[3]; /* this row, the next, and the one behind it */
    osw_kept_row<T> y;
    int base[2]; /* where this row and the next begin in the ring */
    typename F::State state;

    __device__ osw_softmax_ring(const struct osw_softmax_view &view)
        : v(view), n((int)view.x.n), n_layers(view.keep),
          n_rooms((int)layers(view.keep)), base{0, 0}, state(F::start())
    {
    }
    __device__ static int slot(int k)
    {
        return (int)threadIdx.x + k * THREADS;
    }
    __device__ osw_kept_row<T> row_at(const struct osw_row_view &of,
                                      int64_t row) const
    {
        if (row >= v.x.n_rows)
            return osw_kept_row<T>();
        return osw_kept_row<T>(osw_softmax_row_at<const T>(of, row), n);
    }
    /* Layer k of this row (0) or the next (1); k < n_layers + AHEAD. */
    __device__ uint4 *room(int row, int k) const
    {
        int at = base[row] + k;

        at -= at >= n_rooms ? n_rooms : 0;
        at -= at >= n_rooms ? n_rooms : 0;
        return (uint4 *)osw_shared() + at * THREADS + (int)threadIdx.x;
    }
    /* Send for layer k of the next row, which may be one of the row behind. */
    __device__ void send(int k)
    {
        if (k < n_layers && slot(k) < x[1].n_slots)
            osw_kept_fetch(room(1, k), x[1].at(slot(k)));
        if (k >= n_layers && slot(k - n_layers) < x[2].n_slots)
            osw_kept_fetch(room(1, k), x[2].at(slot(k - n_layers)));
        __pipeline_commit();
    }
    /* Layer k of the next row is there: add it. */
    __device__ void arrive(int k)
    {
        __pipeline_wait_prior(AHEAD);
        if (slot(k) < x[1].n_slots) {
            osw_chunk<T> c = read(1, k);

            osw_softmax_add<F, T>(state, c, c);
        }
    }
    __device__ osw_chunk<T> read(int row, int k) const
    {
        osw_chunk<T> c;

        c.raw = *room(row, k);
        osw_chunk_trim(c, x[row].first(slot(k)), n, osw_pack_as<T>(F::fill()));
        return c;
    }
    __device__ osw_chunk<T> read_y(int k) const
    {
        osw_chunk<T> c;

        if (F::TWO && k < n_layers && slot(k) < y.n_slots)
            c.raw = __ldcs(y.at(slot(k)));
        return c;
    }
    template <class R>
    __device__ void write(T *out, R ready, int k, const osw_chunk<T> &a,
                          const osw_chunk<T> &b) const
    {
        if (slot(k) < x[0].n_slots)
            osw_chunk_store(out, x[0].first(slot(k)), n,
                            osw_softmax_chunk<F, T>(ready, a, F::TWO ? b : a));
    }
    /* The next row becomes this one. */
    __device__ void turn_to(int64_t row)
    {
        x[0] = x[1];
        x[1] = x[2];
        x[2] = row_at(v.x, row + 2 * (int64_t)gridDim.x);
        base[0] = base[1];
        base[1] += n_layers;
        base[1] -= base[1] >= n_rooms ? n_rooms : 0;
        state = F::start();
    }
};

template <class F, class T, int THREADS, int AHEAD>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    osw_softmax_ringed(const __grid_constant__ struct osw_softmax_view v)
{
    typedef osw_softmax_ring<F, T, THREADS, AHEAD> R;
    R ring(v);
    osw_chunk<T> held[R::HOLD];
    int turn = 0;

    ring.x[1] = ring.row_at(v.x, blockIdx.x);
    ring.x[2] = ring.row_at(v.x, blockIdx.x + (int64_t)gridDim.x);
    for (int k = 0; k < AHEAD; k++)
        ring.send(k);
    for (int k = 0; k < ring.n_layers - R::HOLD; k++) {
        ring.send(k + AHEAD);
        ring.arrive(k);
    }
#pragma unroll
    for (int k = 0; k < R::HOLD; k++) {
        __pipeline_wait_prior(AHEAD);
        held[k] = ring.read(1, k);
        ring.send(ring.n_layers - R::HOLD + k + AHEAD);
        ring.arrive(ring.n_layers - R::HOLD + k);
    }
    for (int64_t row = blockIdx.x; row < v.x.n_rows;
         row += gridDim.x, turn ^= 1) {
        T *out = osw_softmax_row_at<T>(v.out, row);
        osw_chunk<T> b, next_b;

        ring.y = ring.row_at(v.y, row);
        next_b = ring.read_y(R::HOLD);
        auto ready = F::ready(osw_group_join<F, THREADS>(ring.state, turn));
        ring.turn_to(row);
#pragma unroll 2
        for (int k = R::HOLD; k < ring.n_layers; k++) {
            b = next_b;
            next_b = ring.read_y(k + 1 < ring.n_layers ? k + 1 : 0);
            ring.write(out, ready, k, ring.read(0, k), b);
            ring.send(k - R::HOLD + AHEAD);
            ring.arrive(k - R::HOLD);
        }
#pragma unroll
        for (int k = 0; k < R::HOLD; k++) {
            b = next_b;
            next_b = ring.read_y(k + 1);
            ring.write(out, ready, k, held[k], b);
            held[k] = ring.read(1, k);
            ring.send(ring.n_layers - R::HOLD + k + AHEAD);
            ring.arrive(ring.n_layers - R::HOLD + k);
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

template <class F, class T, int GROUP, int C>
static inline int osw_softmax_launch_streamed(const osw_call *call,
                                              const struct osw_softmax_view &v)
{
    static int64_t most = 0;

    if constexpr (F::TWO)
        return osw_stream_launch(call, osw_stream<T, GROUP, C, 2>(),
                                 osw_softmax_streamed<F, T, GROUP, C>, &most,
                                 v.x.n_rows, v);
    else
        return osw_stream_launch(call, osw_stream<T, GROUP, C, 1>(),
                                 osw_softmax_held<F, T, GROUP, C>, &most,
                                 v.x.n_rows, v);
}

template <class F, class T> struct osw_softmax_streams {
    const osw_call *call;
    const struct osw_softmax_view *v;

    template <int GROUP, int C> int run() const
    {
        return osw_softmax_launch_streamed<F, T, GROUP, C>(call, *v);
    }
};

template <class F, class T, int THREADS>
static inline int osw_softmax_launch_kept(const osw_call *call,
                                          const struct osw_softmax_view &v)
{
    static int allowed = 0;
    auto kernel = osw_softmax_kept<F, T, THREADS>;
    size_t bytes = (size_t)(16 * osw_softmax_kept_rows<F>::N * v.keep);
    int64_t blocks = osw_sm_count();

    if (!allowed)
        osw_launch_allow(kernel, (size_t)osw_kept_room());
    allowed = 1;
    blocks = v.x.n_rows < blocks ? v.x.n_rows : blocks;
    return osw_launch(call, kernel, dim3((unsigned)blocks), dim3(THREADS),
                      bytes, v);
}

template <class F, class T, int THREADS, int AHEAD>
static inline int osw_softmax_launch_ring(const osw_call *call,
                                          struct osw_softmax_view v,
                                          int64_t n_slots)
{
    typedef osw_softmax_ring<F, T, THREADS, AHEAD> R;
    auto kernel = osw_softmax_ringed<F, T, THREADS, AHEAD>;
    static int allowed = 0;
    int64_t blocks = osw_sm_count() * (int64_t)(1024 / THREADS);
    int64_t room = osw_launch_room() / (1024 / THREADS);

    v.keep = (int)((n_slots + THREADS - 1) / THREADS); /* layers */
    if (v.keep <= R::HOLD || v.keep < AHEAD || R::bytes(n_slots) > room)
        return OSW_UNSUPPORTED;
    if (!allowed)
        osw_launch_allow(kernel, (size_t)room);
    allowed = 1;
    blocks = v.x.n_rows < blocks ? v.x.n_rows : blocks;
    return osw_launch(call, kernel, dim3((unsigned)blocks), dim3(THREADS),
                      (size_t)R::bytes(n_slots), v);
}

/* Two blocks at a time where there is room for two rows. */
template <class F, class T>
static inline int osw_softmax_by_ring(const osw_call *call,
                                      const struct osw_softmax_view &v,
                                      int64_t n_slots)
{
    int rc = OSW_UNSUPPORTED;

    if constexpr (!F::SUMS_Y) {
        if (OSW_SOFTMAX_TWO)
            rc = osw_softmax_launch_ring<F, T, 512, 4>(call, v, n_slots);
        else
            rc = osw_softmax_launch_ring<F, T, 1024, 6>(call, v, n_slots);
        if (rc == OSW_UNSUPPORTED)
            rc = osw_softmax_launch_ring<F, T, 1024, 4>(call, v, n_slots);
    }
    return rc;
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
    if (rc == OSW_UNSUPPORTED && OSW_SOFTMAX_RING)
        rc = osw_softmax_by_ring<F, T>(call, v, n_slots);
    if (rc != OSW_UNSUPPORTED)
        return rc;
    v.keep = osw_kept_slots(n_slots, osw_softmax_kept_rows<F>::N);
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
        osw_row_view_of(&v.out, &s->out) || s->x.tensor->dtype.bits == 64)
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
