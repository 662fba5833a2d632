/* ops/library/all_reduce/all_reduce_peers.cuh - memory of all ranks, mapped by
 * CUDA's IPC, and flags by which blocks of one index meet
 *
 * Each rank's memory begins with HEAD bytes for flags.  What follows is of the
 * file that includes this.
 */
#ifndef OSW_LIBRARY_ALL_REDUCE_PEERS_CUH
#define OSW_LIBRARY_ALL_REDUCE_PEERS_CUH

#include "all_reduce.cuh"

enum { RANKS = 8, HEAD = 64 << 10 };

/* Of this process, while it lives: others have its memory mapped. */
static struct all_reduce_ranks {
    char *at[RANKS];
    int rank, world; /* world 0: not opened */
} ranks;

static __device__ void all_reduce_tell(uint32_t *to, uint32_t turn)
{
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to), "r"(turn)
                 : "memory");
}

static __device__ uint32_t all_reduce_ask(const uint32_t *from)
{
    uint32_t turn;

    asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                 : "=r"(turn)
                 : "l"(from)
                 : "memory");
    return turn;
}

static __device__ void all_reduce_await(const uint32_t *from, uint32_t turn)
{
    while ((int32_t)(all_reduce_ask(from) - turn) < 0)
        ;
}

/* 16 bytes of elements. */
template <class T> struct alignas(16) all_reduce_pack {
    enum { N = 16 / sizeof(T) };
    T e[N];
};

static inline bool all_reduce_is_aligned(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

/* Elements i and following, of n; what is past n is zero. */
template <class T>
static __device__ all_reduce_pack<T> all_reduce_load(const T *from, int64_t i,
                                                     int64_t n, bool aligned)
{
    all_reduce_pack<T> p;

    if (aligned && i + p.N <= n)
        return *(const all_reduce_pack<T> *)(from + i);
    for (int k = 0; k < p.N; k++)
        p.e[k] = i + k < n ? from[i + k] : T(0);
    return p;
}

template <class T>
static __device__ void all_reduce_store(T *to, int64_t i, int64_t n,
                                        bool aligned,
                                        const all_reduce_pack<T> &p)
{
    if (aligned && i + p.N <= n) {
        *(all_reduce_pack<T> *)(to + i) = p;
        return;
    }
    for (int k = 0; k < p.N && i + k < n; k++)
        to[i + k] = p.e[k];
}

template <class T>
static __device__ void all_reduce_add(all_reduce_pack<T> *sum,
                                      const all_reduce_pack<T> &p, int max)
{
    for (int k = 0; k < p.N; k++)
        sum->e[k] = all_reduce_of(sum->e[k], p.e[k], max);
}

static int all_reduce_fail(const osw_call *call, cudaError_t error)
{
    return osw_error(call, cudaGetErrorString(error));
}

/* Allocate memory of that many bytes, and map that of all ranks; once for a
 * process.  Nothing is freed: others may still read it.  More than RANKS ranks:
 * `ranks` stays closed.
 */
static int all_reduce_open(const osw_call *call, size_t bytes)
{
    const size_t whole = 2 << 20; /* CUDA gives such an allocation by itself */
    int rank = osw_rank(call), world = osw_world(call);
    cudaIpcMemHandle_t mine, theirs;
    cudaError_t error;
    void *at;

    if (world > RANKS || ranks.world)
        return 0;
    if (!osw_one_node(call)) {
        (void)osw_error(call, "memory of ranks of other nodes is out of reach");
        return OSW_UNSUPPORTED;
    }
    error = cudaMalloc(&at, (bytes + whole - 1) / whole * whole);
    if (error == cudaSuccess)
        error = cudaMemset(at, 0, bytes);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        error = cudaIpcGetMemHandle(&mine, at);
    if (error != cudaSuccess)
        return all_reduce_fail(call, error);
    ranks.at[rank] = (char *)at;
    for (int step = 1; step < world; step++) {
        int from = (rank + world - step) % world;

        if (osw_sendrecv(call, (rank + step) % world, &mine, sizeof(mine), from,
                         &theirs, sizeof(theirs)))
            return OSW_ERROR;
        error =
            cudaIpcOpenMemHandle(&at, theirs, cudaIpcMemLazyEnablePeerAccess);
        if (error != cudaSuccess)
            return all_reduce_fail(call, error);
        ranks.at[from] = (char *)at;
    }
    ranks.rank = rank;
    ranks.world = world;
    return 0;
}

#endif /* OSW_LIBRARY_ALL_REDUCE_PEERS_CUH */
