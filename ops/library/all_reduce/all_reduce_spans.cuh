/* ops/library/all_reduce/all_reduce_spans.cuh - spans of many elements, one for
 * each block, which goes through it in rounds of a piece for every rank
 */
#ifndef OSW_LIBRARY_ALL_REDUCE_SPANS_CUH
#define OSW_LIBRARY_ALL_REDUCE_SPANS_CUH

#include "all_reduce_peers.cuh"

enum {
    BLOCKS = 128, /* all run at a time: each waits for other ranks' */
    THREADS = 512,
    CHUNK = 256 << 10, /* bytes of a block in a round */
};

struct all_reduce_span {
    int64_t at, n; /* elements */
};

/* Of n elements those of this block, in whole packs but for the last one. */
template <class T>
static __device__ struct all_reduce_span all_reduce_span_of(int64_t n)
{
    const int n_pack = all_reduce_pack<T>::N;
    int64_t packs = (n + n_pack - 1) / n_pack;
    int64_t each = (packs + BLOCKS - 1) / BLOCKS * n_pack;
    struct all_reduce_span s = {blockIdx.x * each, 0};

    if (s.at < n)
        s.n = n - s.at < each ? n - s.at : each;
    return s;
}

/* Take a round's elements off the front of *all; false: none are left. */
template <class T>
static __device__ bool all_reduce_next(struct all_reduce_span *all, int world,
                                       struct all_reduce_span *round)
{
    int64_t most = CHUNK / world / 16 * 16 / sizeof(T) * world;

    round->at = all->at;
    round->n = all->n < most ? all->n : most;
    all->at += round->n;
    all->n -= round->n;
    return round->n > 0;
}

/* Piece k of a round, in whole packs but for the last one. */
template <class T>
static __device__ struct all_reduce_span
all_reduce_piece(struct all_reduce_span round, int world, int k)
{
    const int n_pack = all_reduce_pack<T>::N;
    int64_t packs = (round.n + n_pack - 1) / n_pack;
    int64_t each = (packs + world - 1) / world * n_pack;
    int64_t from = k * each;
    struct all_reduce_span p = {round.at + from, 0};

    if (from < round.n)
        p.n = round.n - from < each ? round.n - from : each;
    return p;
}

/* The functions of an implementation with all_reduce_kernel<T>, which needs
 * `bytes` of memory of each rank.
 */
#define ALL_REDUCE_SPANS_IMPL(bytes)                                           \
    extern "C" int all_reduce_prepare(const osw_call *call, void **state)      \
    {                                                                          \
        *state = NULL;                                                         \
        return all_reduce_open(call, bytes);                                   \
    }                                                                          \
                                                                               \
    template <class T>                                                         \
    static int all_reduce_run(const osw_call *call, const osw_tensor *x,       \
                              const osw_tensor *out)                           \
    {                                                                          \
        const T *from = (const T *)osw_data(x);                                \
        T *to = (T *)osw_data(out);                                            \
                                                                               \
        all_reduce_kernel<<<BLOCKS, THREADS, 0, (cudaStream_t)call->stream>>>( \
            ranks, from, to, osw_numel(x), osw_combine_is_max(call, 1),        \
            all_reduce_is_aligned(from) && all_reduce_is_aligned(to));         \
        return 0;                                                              \
    }                                                                          \
                                                                               \
    extern "C" int all_reduce_kernel_impl(const osw_call *call)                \
    {                                                                          \
        const osw_tensor *x = osw_collective_input(call);                      \
        osw_tensor *out;                                                       \
                                                                               \
        if (!x || !osw_combine_of(call, 1, x->dtype) || !ranks.world)          \
            return OSW_UNSUPPORTED;                                            \
        out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);          \
        return out ? ALL_REDUCE_BY_DTYPE(x->dtype, all_reduce_run, call, x,    \
                                         out)                                  \
                   : OSW_ERROR;                                                \
    }

#endif /* OSW_LIBRARY_ALL_REDUCE_SPANS_CUH */
