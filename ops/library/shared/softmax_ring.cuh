/* shared/softmax_ring.cuh - the gradient of log_softmax for rows too long
 * for registers, the next rows always on their way
 *
 * Of 16 bits, where converting is what is waited for between the passes of
 * kept.cuh; of f32 it gains nothing.
 */
#ifndef OSW_LIBRARY_SOFTMAX_RING_CUH
#define OSW_LIBRARY_SOFTMAX_RING_CUH

#include "kept.cuh"
#include "softmax_rows.cuh"

/* The rooms of a block are a ring of layers, one chunk of each thread.  A row
 * takes n_layers of it, but its first HOLD layers move on into registers.
 * While layer k of a row is written, the one AHEAD of what has arrived is sent
 * for, and what arrives is added to the state of the next row: between two
 * rows there is nothing to wait for but each other.
 */
template <class F, class T> struct osw_softmax_ring {
    enum { THREADS = 512, BLOCKS = 2, AHEAD = 4, HOLD = 4 };

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
    osw_kept_row<T> x[3]; /* this row, the next, and the one after it */
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
    __device__ osw_kept_row<T> row_at(int64_t row) const
    {
        if (row >= v.x.n_rows)
            return osw_kept_row<T>();
        return osw_kept_row<T>(osw_softmax_row_at<const T>(v.x, row), n);
    }
    /* Layer k of this row (0) or the next (1); k < n_layers + AHEAD. */
    __device__ uint4 *room(int row, int k) const
    {
        int at = base[row] + k;

        at -= at >= n_rooms ? n_rooms : 0;
        at -= at >= n_rooms ? n_rooms : 0;
        return (uint4 *)osw_shared() + at * THREADS + (int)threadIdx.x;
    }
    /* Send for layer k of the next row, which may be one of the row after it.
     */
    __device__ void send(int k)
    {
        if (k < n_layers)
            x[1].fetch(room(1, k), slot(k));
        else
            x[2].fetch(room(1, k), slot(k - n_layers));
        __pipeline_commit();
    }
    /* Layer k of the next row is there: add it. */
    __device__ void arrive(int k)
    {
        __pipeline_wait_prior(AHEAD);
        if (x[1].has(slot(k))) {
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

        if (k < n_layers && y.has(slot(k)))
            c.raw = __ldcs(y.at(slot(k)));
        return c;
    }
    template <class R>
    __device__ void write(T *out, R ready, int k, const osw_chunk<T> &a,
                          const osw_chunk<T> &b) const
    {
        if (x[0].has(slot(k)))
            osw_chunk_store(out, x[0].first(slot(k)), n,
                            osw_softmax_chunk<F, T>(ready, a, b));
    }
    /* The next row becomes this one. */
    __device__ void turn_to(int64_t row)
    {
        x[0] = x[1];
        x[1] = x[2];
        x[2] = row_at(row + 2 * (int64_t)gridDim.x);
        base[0] = base[1];
        base[1] += n_layers;
        base[1] -= base[1] >= n_rooms ? n_rooms : 0;
        state = F::start();
    }
};

template <class F, class T>
__global__ void __launch_bounds__(osw_softmax_ring<F, T>::THREADS,
                                  osw_softmax_ring<F, T>::BLOCKS)
    osw_softmax_ringed(const __grid_constant__ struct osw_softmax_view v)
{
    typedef osw_softmax_ring<F, T> R;
    R ring(v);
    osw_chunk<T> held[R::HOLD];
    int turn = 0;

    ring.x[1] = ring.row_at(blockIdx.x);
    ring.x[2] = ring.row_at(blockIdx.x + (int64_t)gridDim.x);
    for (int k = 0; k < R::AHEAD; k++)
        ring.send(k);
    for (int k = 0; k < ring.n_layers - R::HOLD; k++) {
        ring.send(k + R::AHEAD);
        ring.arrive(k);
    }
#pragma unroll
    for (int k = 0; k < R::HOLD; k++) {
        __pipeline_wait_prior(R::AHEAD);
        held[k] = ring.read(1, k);
        ring.send(ring.n_layers - R::HOLD + k + R::AHEAD);
        ring.arrive(ring.n_layers - R::HOLD + k);
    }
    for (int64_t row = blockIdx.x; row < v.x.n_rows;
         row += gridDim.x, turn ^= 1) {
        T *out = osw_softmax_row_at<T>(v.out, row);
        osw_chunk<T> b, next_b;

        ring.y = osw_kept_row<T>(osw_softmax_row_at<const T>(v.y, row), ring.n,
                                 ring.x[1].lead);
        next_b = ring.read_y(R::HOLD);
        auto ready = F::ready(osw_group_join<F, R::THREADS>(ring.state, turn));
        ring.turn_to(row);
#pragma unroll 2
        for (int k = R::HOLD; k < ring.n_layers; k++) {
            b = next_b;
            next_b = ring.read_y(k + 1 < ring.n_layers ? k + 1 : 0);
            ring.write(out, ready, k, ring.read(0, k), b);
            ring.send(k - R::HOLD + R::AHEAD);
            ring.arrive(k - R::HOLD);
        }
#pragma unroll
        for (int k = 0; k < R::HOLD; k++) {
            b = next_b;
            next_b = ring.read_y(k + 1);
            ring.write(out, ready, k, held[k], b);
            held[k] = ring.read(1, k);
            ring.send(ring.n_layers - R::HOLD + k + R::AHEAD);
            ring.arrive(ring.n_layers - R::HOLD + k);
        }
    }
}

/* --- host --- */

template <class F, class T>
static inline int osw_softmax_launch_ring(const osw_call *call,
                                          struct osw_softmax_view v)
{
    typedef osw_softmax_ring<F, T> R;
    int64_t n_slots = osw_kept_slots(v.x.n, sizeof(T));
    auto kernel = osw_softmax_ringed<F, T>;
    static osw_per_device<size_t> allowed;
    int64_t room = osw_launch_room() / R::BLOCKS;

    v.keep = (int)((n_slots + R::THREADS - 1) / R::THREADS); /* layers */
    if (v.keep <= R::HOLD || v.keep < R::AHEAD || R::bytes(n_slots) > room)
        return OSW_UNSUPPORTED;
    osw_launch_allow(kernel, (size_t)room, &allowed.here());
    return osw_launch(
        call, kernel,
        dim3(osw_kept_blocks(v.x.n_rows, osw_sm_count() * (int64_t)R::BLOCKS)),
        dim3(R::THREADS), (size_t)R::bytes(n_slots), v);
}

#endif /* OSW_LIBRARY_SOFTMAX_RING_CUH */
