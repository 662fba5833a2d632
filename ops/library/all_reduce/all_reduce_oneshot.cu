/* ops/library/all_reduce/all_reduce_oneshot.cu - each rank reads the elements
 * of all others from their memory
 *
 * One kernel, and no library: a rank copies its elements to memory that the
 * others have mapped by CUDA's IPC, tells them, and combines what they have.
 * For few elements: a rank reads world times as many as it has.
 *
 * Blocks of one index meet, and need the same elements of all ranks.  Two
 * halves of the memory take turns: a rank that comes to a turn has left the one
 * before, so what it reads in that is not written before the turn after next.
 */
#include "all_reduce.cuh"

enum {
    BLOCKS = 64,
    THREADS = 512,
    RANKS = 8,
    HEAD = 64 << 10, /* bytes before the first half */
    ROOM = 4 << 20,  /* of a half */
    WHOLE = 10 << 20 /* an allocation of CUDA by itself: whole 2 MiB */
};

/* At the beginning of each rank's memory: the turn to which a rank has come. */
struct all_reduce_head {
    uint32_t come[BLOCKS][RANKS]; /* written by that rank */
    uint32_t turn[BLOCKS];        /* of this rank's last call */
};

/* Of this process, while it lives: others have its memory mapped. */
static struct all_reduce_ranks {
    char *at[RANKS];
    int rank, world;
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

template <class T>
static __global__ void all_reduce_kernel(struct all_reduce_ranks r, const T *x,
                                         T *out, int64_t n, int max)
{
    struct all_reduce_head *own = (struct all_reduce_head *)r.at[r.rank];
    uint32_t turn = own->turn[blockIdx.x] + 1;
    size_t half = HEAD + (turn & 1) * (size_t)ROOM;
    int64_t first = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    T *shown = (T *)(r.at[r.rank] + half);

    for (int64_t i = first; i < n; i += step)
        shown[i] = x[i];
    __syncthreads();
    if (threadIdx.x < r.world) {
        struct all_reduce_head *other =
            (struct all_reduce_head *)r.at[threadIdx.x];

        all_reduce_tell(&other->come[blockIdx.x][r.rank], turn);
        while ((int32_t)(all_reduce_ask(&own->come[blockIdx.x][threadIdx.x]) -
                         turn) < 0)
            ;
    }
    __syncthreads();
    for (int64_t i = first; i < n; i += step) {
        T sum = ((const T *)(r.at[0] + half))[i];

        for (int k = 1; k < r.world; k++)
            sum = all_reduce_of(sum, ((const T *)(r.at[k] + half))[i], max);
        out[i] = sum;
    }
    if (threadIdx.x == 0)
        own->turn[blockIdx.x] = turn;
}

static int all_reduce_fail(const osw_call *call, cudaError_t error)
{
    return osw_error(call, cudaGetErrorString(error));
}

/* Nothing is freed: others may still read it. */
extern "C" int all_reduce_prepare(const osw_call *call, void **state)
{
    int rank = osw_rank(call), world = osw_world(call);
    cudaIpcMemHandle_t mine, theirs;
    cudaError_t error;
    void *at;

    *state = NULL;
    if (world > RANKS || ranks.world)
        return 0;
    error = cudaMalloc(&at, WHOLE);
    if (error == cudaSuccess)
        error = cudaMemset(at, 0, HEAD);
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

template <class T>
static int all_reduce_run(const osw_call *call, const osw_tensor *x,
                          const osw_tensor *out)
{
    all_reduce_kernel<<<BLOCKS, THREADS, 0, (cudaStream_t)call->stream>>>(
        ranks, (const T *)osw_data(x), (T *)osw_data(out), osw_numel(x),
        osw_combine_is_max(call, 1));
    return 0;
}

extern "C" int all_reduce_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_collective_input(call);
    osw_tensor *out;

    if (!x || !osw_combine_of(call, 1, x->dtype) || !ranks.world ||
        (size_t)osw_numel(x) * osw_elem_bytes(x) > ROOM)
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    return out ? ALL_REDUCE_BY_DTYPE(x->dtype, all_reduce_run, call, x, out)
               : OSW_ERROR;
}
