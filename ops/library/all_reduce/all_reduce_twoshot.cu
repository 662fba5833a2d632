/* ops/library/all_reduce/all_reduce_twoshot.cu - each rank combines a piece of
 * all elements, and sends the result to all others
 *
 * One kernel, and no library: ranks write into each other's memory, mapped by
 * CUDA's IPC.  For many elements: 2 (world - 1) / world of them cross the link.
 *
 * Each block has a span of the elements and goes through it in rounds, in each
 * a piece for every rank.  Blocks of one index meet twice in a round: what a
 * rank sent has been read before it comes to the same place in the next round,
 * so one buffer each is enough.
 */
#include "all_reduce_spans.cuh"

enum {
    INBOX = HEAD,
    OUTBOX = HEAD + BLOCKS * CHUNK,
    ALL = OUTBOX + BLOCKS * CHUNK
};

/* At the beginning of each rank's memory: how far a rank has come. */
struct all_reduce_head {
    uint32_t come[BLOCKS][RANKS]; /* two steps a round; written by that rank */
    uint32_t step[BLOCKS];        /* of this rank's last call */
};

/* Where rank `to` keeps what rank `from` sends it. */
template <class T>
static __device__ T *all_reduce_box(const struct all_reduce_ranks &r, size_t at,
                                    int to, int from)
{
    return (T *)(r.at[to] + at + blockIdx.x * (size_t)CHUNK +
                 from * (CHUNK / r.world / 16 * 16));
}

static __device__ void all_reduce_meet(const struct all_reduce_ranks &r,
                                       uint32_t step)
{
    __syncthreads();
    if (threadIdx.x < r.world) {
        struct all_reduce_head *own = (struct all_reduce_head *)r.at[r.rank];
        struct all_reduce_head *other =
            (struct all_reduce_head *)r.at[threadIdx.x];

        all_reduce_tell(&other->come[blockIdx.x][r.rank], step);
        all_reduce_await(&own->come[blockIdx.x][threadIdx.x], step);
    }
    __syncthreads();
}

template <class T>
static __device__ void
all_reduce_round(const struct all_reduce_ranks &r, struct all_reduce_span span,
                 const T *x, T *out, int max, bool aligned, uint32_t step)
{
    const int n_pack = all_reduce_pack<T>::N;
    struct all_reduce_span own = all_reduce_piece<T>(span, r.world, r.rank);

    for (int d = 1; d < r.world; d++) {
        int to = (r.rank + d) % r.world;
        struct all_reduce_span p = all_reduce_piece<T>(span, r.world, to);
        T *box = all_reduce_box<T>(r, INBOX, to, r.rank);

        for (int64_t i = threadIdx.x * n_pack; i < p.n; i += THREADS * n_pack)
            all_reduce_store(box, i, p.n, true,
                             all_reduce_load(x + p.at, i, p.n, aligned));
    }
    all_reduce_meet(r, step + 1);
    for (int64_t i = threadIdx.x * n_pack; i < own.n; i += THREADS * n_pack) {
        all_reduce_pack<T> sum;

        for (int k = 0; k < r.world; k++) {
            all_reduce_pack<T> p =
                k == r.rank ? all_reduce_load(x + own.at, i, own.n, aligned)
                            : all_reduce_load((const T *)all_reduce_box<T>(
                                                  r, INBOX, r.rank, k),
                                              i, own.n, true);

            if (k == 0)
                sum = p;
            else
                all_reduce_add(&sum, p, max);
        }
        all_reduce_store(out + own.at, i, own.n, aligned, sum);
        for (int d = 1; d < r.world; d++)
            all_reduce_store(
                all_reduce_box<T>(r, OUTBOX, (r.rank + d) % r.world, r.rank), i,
                own.n, true, sum);
    }
    all_reduce_meet(r, step + 2);
    for (int d = 1; d < r.world; d++) {
        int from = (r.rank + d) % r.world;
        struct all_reduce_span p = all_reduce_piece<T>(span, r.world, from);
        const T *box = all_reduce_box<T>(r, OUTBOX, r.rank, from);

        for (int64_t i = threadIdx.x * n_pack; i < p.n; i += THREADS * n_pack)
            all_reduce_store(out + p.at, i, p.n, aligned,
                             all_reduce_load(box, i, p.n, true));
    }
}

template <class T>
static __global__ void __launch_bounds__(THREADS)
    all_reduce_kernel(const __grid_constant__ struct all_reduce_ranks r,
                      const T *x, T *out, int64_t n, int max, bool aligned)
{
    uint32_t *kept =
        &((struct all_reduce_head *)r.at[r.rank])->step[blockIdx.x];
    uint32_t step = *kept;
    struct all_reduce_span all = all_reduce_span_of<T>(n), round;

    while (all_reduce_next<T>(&all, r.world, &round)) {
        all_reduce_round(r, round, x, out, max, aligned, step);
        step += 2;
    }
    __syncthreads(); /* all have read the step */
    if (threadIdx.x == 0)
        *kept = step;
}

ALL_REDUCE_SPANS_IMPL(ALL)
