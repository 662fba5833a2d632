/* ops/library/all_reduce/all_reduce_ring.cu - pieces go around a ring of ranks,
 * first to be combined, then as results
 *
 * One kernel, and no library: a rank writes into the memory of the next one,
 * mapped by CUDA's IPC.  For many elements: 2 (world - 1) / world of them leave
 * each rank, all to one neighbour.
 *
 * Each block has a span of the elements and goes through it in rounds, in each
 * a piece for every rank.  Every step has a slot of its own.  A slot is written
 * again only in the next round, after something has come around the ring that
 * the next rank sent when it had read that slot.
 */
#include "all_reduce_spans.cuh"

enum { SLOTS = 2 * (RANKS - 1), ALL = HEAD + 2 * BLOCKS * CHUNK };

/* At the beginning of each rank's memory. */
struct all_reduce_head {
    uint32_t come[BLOCKS][SLOTS]; /* the round of what the rank before sent */
    uint32_t round[BLOCKS];       /* the last one of this rank's last call */
};

template <class T>
static __device__ T *all_reduce_slot(char *memory, int world, int slot)
{
    return (T *)(memory + HEAD + blockIdx.x * (size_t)(2 * CHUNK) +
                 slot * (CHUNK / world / 16 * 16));
}

/* Step s of 2 (world - 1) + 1: what step s - 1 of the rank before sent is
 * combined with x, or is a result, and goes on to the next rank.
 */
template <class T>
static __device__ void all_reduce_step(const struct all_reduce_ranks &r,
                                       struct all_reduce_span p, const T *x,
                                       T *out, int max, bool aligned, int s)
{
    const int n_pack = all_reduce_pack<T>::N, turn = r.world - 1;
    const T *got = all_reduce_slot<T>(r.at[r.rank], r.world, s ? s - 1 : 0);
    T *to = all_reduce_slot<T>(r.at[(r.rank + 1) % r.world], r.world, s);

    for (int64_t i = threadIdx.x * n_pack; i < p.n; i += THREADS * n_pack) {
        all_reduce_pack<T> v = s > turn
                                   ? all_reduce_load(got, i, p.n, true)
                                   : all_reduce_load(x + p.at, i, p.n, aligned);

        if (s > 0 && s <= turn)
            all_reduce_add(&v, all_reduce_load(got, i, p.n, true), max);
        if (s >= turn)
            all_reduce_store(out + p.at, i, p.n, aligned, v);
        if (s < 2 * turn)
            all_reduce_store(to, i, p.n, true, v);
    }
}

template <class T>
static __global__ void __launch_bounds__(THREADS)
    all_reduce_kernel(const __grid_constant__ struct all_reduce_ranks r,
                      const T *x, T *out, int64_t n, int max, bool aligned)
{
    struct all_reduce_head *own = (struct all_reduce_head *)r.at[r.rank];
    struct all_reduce_head *next =
        (struct all_reduce_head *)r.at[(r.rank + 1) % r.world];
    struct all_reduce_span all = all_reduce_span_of<T>(n), span;
    uint32_t round = own->round[blockIdx.x];
    int last = 2 * (r.world - 1);

    while (all_reduce_next<T>(&all, r.world, &span)) {
        round++;
        for (int s = 0; s <= last; s++) {
            if (s > 0 && threadIdx.x == 0)
                all_reduce_await(&own->come[blockIdx.x][s - 1], round);
            __syncthreads();
            all_reduce_step(
                r,
                all_reduce_piece<T>(span, r.world,
                                    (r.rank + 2 * r.world - s) % r.world),
                x, out, max, aligned, s);
            __syncthreads();
            if (s < last && threadIdx.x == 0)
                all_reduce_tell(&next->come[blockIdx.x][s], round);
        }
    }
    __syncthreads(); /* all have read the round */
    if (threadIdx.x == 0)
        own->round[blockIdx.x] = round;
}

ALL_REDUCE_SPANS_IMPL(ALL)
