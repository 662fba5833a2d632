/* ops/library/all_reduce/all_reduce_oneshot.cu - each rank gets all elements of
 * all others, and combines them by itself
 *
 * One kernel, and no library.  For few elements: a rank receives world - 1
 * times as many as it has.
 *
 * Up to 64 KiB, ranks write into each other's memory: lines of 8 bytes and,
 * twice, the number of the turn.  A line is stored in one piece, so a rank
 * that finds the number has the bytes: one way over the link, and no other
 * flag.
 * Beyond, ranks copy their elements to their own memory, say so, and read what
 * the others have there.
 *
 * Blocks of one index meet, and need the same elements of all ranks.  Two
 * halves of the memory take turns: a rank that comes to a turn has left the one
 * before, so what it reads in that is not written before the turn after next.
 */
#include "all_reduce_peers.cuh"

enum {
    BLOCKS = 64,
    THREADS = 512,
    ROOM = 4 << 20, /* of a half */
    LINE_BLOCKS = 16,
    LINES = 8 << 10,            /* of a rank in a half */
    LINE_BYTES = LINES * 8,     /* that they carry */
    LINES_AT = HEAD + 2 * ROOM, /* after the halves */
    ALL = LINES_AT + 2 * RANKS * LINES * 16,
};

/* At the beginning of each rank's memory: the turn to which a rank has come. */
struct all_reduce_head {
    uint32_t come[BLOCKS][RANKS];    /* written by that rank */
    uint32_t turn[BLOCKS];           /* of this rank's last call */
    uint32_t line_turn[LINE_BLOCKS]; /* the same for lines */
};

template <class T>
static __global__ void
all_reduce_kernel(const __grid_constant__ struct all_reduce_ranks r, const T *x,
                  T *out, int64_t n, int max, bool aligned)
{
    const int step_n = all_reduce_pack<T>::N;
    struct all_reduce_head *own = (struct all_reduce_head *)r.at[r.rank];
    uint32_t turn = own->turn[blockIdx.x] + 1;
    size_t half = HEAD + (turn & 1) * (size_t)ROOM;
    int64_t first = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) * step_n;
    int64_t step = (int64_t)gridDim.x * blockDim.x * step_n;
    T *shown = (T *)(r.at[r.rank] + half);

    for (int64_t i = first; i < n; i += step)
        all_reduce_store(shown, i, n, true, all_reduce_load(x, i, n, aligned));
    __syncthreads();
    if (threadIdx.x < r.world) {
        struct all_reduce_head *other =
            (struct all_reduce_head *)r.at[threadIdx.x];

        all_reduce_tell(&other->come[blockIdx.x][r.rank], turn);
        all_reduce_await(&own->come[blockIdx.x][threadIdx.x], turn);
    }
    __syncthreads();
    for (int64_t i = first; i < n; i += step) {
        all_reduce_pack<T> sum =
            all_reduce_load((const T *)(r.at[0] + half), i, n, true);

        for (int k = 1; k < r.world; k++)
            all_reduce_add(
                &sum, all_reduce_load((const T *)(r.at[k] + half), i, n, true),
                max);
        all_reduce_store(out, i, n, aligned, sum);
    }
    if (threadIdx.x == 0)
        own->turn[blockIdx.x] = turn;
}

/* --- lines --- */

template <class T> union all_reduce_line {
    uint32_t w[2];
    T e[8 / sizeof(T)];
    __device__ all_reduce_line() : w{0, 0}
    {
    }
};

static __device__ uint4 *all_reduce_line_at(char *memory, uint32_t turn,
                                            int from, int64_t i)
{
    return (uint4 *)(memory + LINES_AT) +
           (((turn & 1) * RANKS + from) * (int64_t)LINES + i);
}

static __device__ void all_reduce_put_line(uint4 *to, const uint32_t w[2],
                                           uint32_t turn)
{
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to),
                 "r"(w[0]), "r"(turn), "r"(w[1]), "r"(turn)
                 : "memory");
}

static __device__ void all_reduce_get_line(const uint4 *from, uint32_t w[2],
                                           uint32_t turn)
{
    uint32_t a, b;

    do {
        asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(w[0]), "=r"(a), "=r"(w[1]), "=r"(b)
                     : "l"(from)
                     : "memory");
    } while (a != turn || b != turn);
}

template <class T>
static __global__ void
all_reduce_lines(const __grid_constant__ struct all_reduce_ranks r, const T *x,
                 T *out, int64_t n, int max)
{
    const int in_line = 8 / sizeof(T);
    struct all_reduce_head *own = (struct all_reduce_head *)r.at[r.rank];
    uint32_t turn = own->line_turn[blockIdx.x] + 1;
    int64_t first = blockIdx.x * blockDim.x + threadIdx.x;
    int64_t step = gridDim.x * blockDim.x;

    for (int64_t i = first; i * in_line < n; i += step) {
        all_reduce_line<T> line;

        for (int k = 0; k < in_line && i * in_line + k < n; k++)
            line.e[k] = x[i * in_line + k];
        for (int k = 0; k < r.world; k++)
            all_reduce_put_line(all_reduce_line_at(r.at[k], turn, r.rank, i),
                                line.w, turn);
    }
    for (int64_t i = first; i * in_line < n; i += step) {
        all_reduce_line<T> sum, line;

        for (int from = 0; from < r.world; from++) {
            all_reduce_get_line(all_reduce_line_at(r.at[r.rank], turn, from, i),
                                line.w, turn);
            for (int k = 0; k < in_line; k++)
                sum.e[k] =
                    from ? all_reduce_of(sum.e[k], line.e[k], max) : line.e[k];
        }
        for (int k = 0; k < in_line && i * in_line + k < n; k++)
            out[i * in_line + k] = sum.e[k];
    }
    __syncthreads(); /* all have read the turn */
    if (threadIdx.x == 0)
        own->line_turn[blockIdx.x] = turn;
}

extern "C" int all_reduce_prepare(const osw_call *call, void **state)
{
    *state = NULL;
    return all_reduce_open(call, ALL);
}

template <class T>
static int all_reduce_run(const osw_call *call, const osw_tensor *x,
                          const osw_tensor *out)
{
    cudaStream_t stream = (cudaStream_t)call->stream;
    const T *from = (const T *)osw_data(x);
    T *to = (T *)osw_data(out);
    int64_t n = osw_numel(x);
    int max = osw_combine_is_max(call, 1);

    if (n == 0)
        return 0; /* a turn in which ranks do not meet would count as one */
    if (n * (int64_t)sizeof(T) <= LINE_BYTES)
        all_reduce_lines<<<LINE_BLOCKS, THREADS, 0, stream>>>(ranks, from, to,
                                                              n, max);
    else
        all_reduce_kernel<<<BLOCKS, THREADS, 0, stream>>>(
            ranks, from, to, n, max,
            all_reduce_is_aligned(from) && all_reduce_is_aligned(to));
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
