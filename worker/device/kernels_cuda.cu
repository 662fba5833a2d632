/* worker/device/kernels_cuda.cu - small kernels of the CUDA device */
#include "worker/device/kernels_cuda.h"
#include "worker/hash_mix.h"

namespace
{
const unsigned int THREADS = 256, BLOCKS = 1024, TURN_THREADS = 1024;
const unsigned int TURN_EACH =
    OSW_CUDA_TURN_BYTES / sizeof(uint4) / TURN_THREADS;

__device__ uint64_t load_tail(const unsigned char *p, uint64_t n)
{
    uint64_t w = 0;

    for (uint64_t i = 0; i < n; i++)
        w |= (uint64_t)p[i] << 8 * i;
    return w;
}

/* Words of 8 bytes, wherever they lie. */
template <bool aligned> __device__ uint64_t load_word(const unsigned char *p)
{
    return aligned ? *reinterpret_cast<const uint64_t *>(p) : load_tail(p, 8);
}

/* What is hashed or copied, as kernels see it. */
struct hashed {
    const unsigned char *data;
    uint64_t bytes, start;
    bool aligned, first;
    unsigned long long *seen;
};

struct copied {
    uint4 *to;
    const uint4 *from;
    uint64_t n;
    unsigned int rest; /* bytes after them */
};

template <bool aligned, unsigned int threads>
__device__ uint64_t part_of_hash(const struct hashed h)
{
    uint64_t words = h.bytes / 8, step = (uint64_t)gridDim.x * threads, sum = 0;
    uint64_t i = (uint64_t)blockIdx.x * threads + threadIdx.x;

    for (; i < words; i += step)
        sum += osw_hash_mix(load_word<aligned>(h.data + 8 * i) ^
                            (h.start + i * OSW_HASH_POSITION));
    if (i == words && h.bytes % 8)
        sum += osw_hash_mix(load_tail(h.data + 8 * words, h.bytes % 8) ^
                            (h.start + words * OSW_HASH_POSITION));
    return sum;
}

/* A sum, so blocks may come in any order; the last one closes the hash. */
template <unsigned int threads>
__device__ void hash_all(const struct hashed h, struct osw_cuda_hash *state)
{
    __shared__ unsigned long long part[threads / 32];
    uint64_t sum = h.aligned ? part_of_hash<true, threads>(h)
                             : part_of_hash<false, threads>(h);

    for (int lane = 16; lane; lane /= 2)
        sum += __shfl_down_sync(~0u, sum, lane);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (unsigned int w = 1; w < threads / 32; w++)
        sum += part[w];
    atomicAdd(&state->partial, (unsigned long long)sum);
    __threadfence();
    if (atomicAdd(&state->done, 1u) + 1 != gridDim.x)
        return;
    __threadfence();
    sum = atomicExch(&state->partial, 0ull) + h.start +
          OSW_HASH_POSITION * h.bytes;
    sum = osw_hash_mix(sum) + (h.first ? 0 : state->sum);
    state->sum = sum;
    state->done = 0;
    *h.seen = sum;
}

__device__ void move_rest(const struct copied c, uint64_t i)
{
    if (i < c.rest)
        reinterpret_cast<unsigned char *>(c.to + c.n)[i] =
            reinterpret_cast<const unsigned char *>(c.from + c.n)[i];
}

template <unsigned int threads> __device__ void move_all(const struct copied c)
{
    uint64_t i = blockIdx.x * (uint64_t)threads + threadIdx.x;

    for (uint64_t k = i; k < c.n; k += (uint64_t)gridDim.x * threads)
        c.to[k] = c.from[k];
    move_rest(c, i);
}

__global__ void hash(struct hashed h, struct osw_cuda_hash *state)
{
    hash_all<THREADS>(h, state);
}

__global__ void move(struct copied c)
{
    move_all<THREADS>(c);
}

__global__ void show(struct hashed h, struct copied c,
                     struct osw_cuda_hash *state)
{
    move_all<THREADS>(c);
    hash_all<THREADS>(h, state);
}

/* One block. */
__global__ void turn(struct hashed h, struct copied c,
                     struct osw_cuda_hash *state, struct copied next)
{
    uint4 held[TURN_EACH];

    for (unsigned int j = 0; j < TURN_EACH; j++)
        if (threadIdx.x + j * TURN_THREADS < next.n)
            held[j] = next.from[threadIdx.x + j * TURN_THREADS];
    move_all<TURN_THREADS>(c);
    hash_all<TURN_THREADS>(h, state);
    __syncthreads();
    for (unsigned int j = 0; j < TURN_EACH; j++)
        if (threadIdx.x + j * TURN_THREADS < next.n)
            next.to[threadIdx.x + j * TURN_THREADS] = held[j];
    move_rest(next, threadIdx.x);
}

__global__ void read_all(const uint4 *data, uint64_t n, unsigned int *sink)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    unsigned int seen = 0;

    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
         i += step) {
        uint4 v = __ldcg(data + i);

        seen |= v.x ^ v.y ^ v.z ^ v.w;
    }
    if (seen == 1)
        *sink = seen; /* never: the memory holds zeros */
}

__global__ void edit(struct osw_cuda_edits *s, int64_t call)
{
    uint64_t n = call < 0 ? s->next : (uint64_t)call;

    osw_edits_undo_few(s->base, &s->undo);
    osw_edits_apply_few(&s->edits, n, s->base, &s->undo);
    s->next = n + 1;
}

__global__ void edit_end(struct osw_cuda_edits *s)
{
    osw_edits_undo_few(s->base, &s->undo);
    s->undo.whole = NULL;
}

/* Change all elements as the last edits say, or back. */
__global__ void edit_all(struct osw_cuda_edits *s, bool back)
{
    if (s->undo.whole)
        osw_edits_renew(s->undo.whole, s->undo.call, s->base, !back,
                        blockIdx.x * blockDim.x + threadIdx.x,
                        gridDim.x * blockDim.x);
}

__global__ void nothing()
{
}

__device__ uint64_t now_ns()
{
    uint64_t t;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__global__ void hold(const volatile unsigned int *gate, unsigned int ticket,
                     uint64_t most_ns, volatile unsigned int *late)
{
    uint64_t t0 = now_ns();

    while (*gate < ticket)
        if (now_ns() - t0 > most_ns) {
            *late = ticket;
            return;
        }
}

/* A thread for each of n elements, up to a number. */
unsigned int n_blocks(uint64_t n)
{
    uint64_t blocks = n / THREADS + 1;

    return blocks < BLOCKS ? (unsigned int)blocks : BLOCKS;
}

struct hashed hashed_of(const void *data, uint64_t bytes, uint64_t seed,
                        int first, unsigned long long *seen)
{
    return {static_cast<const unsigned char *>(data),
            bytes,
            osw_hash_mix(seed + OSW_HASH_POSITION),
            reinterpret_cast<uintptr_t>(data) % 8 == 0,
            first != 0,
            seen};
}

struct hashed hashed_of(const struct osw_cuda_made *m)
{
    return hashed_of(m->data, m->bytes, m->seed, m->first, m->seen);
}

struct copied copied_of(void *to, const void *from, uint64_t bytes)
{
    return {static_cast<uint4 *>(to), static_cast<const uint4 *>(from),
            bytes / sizeof(uint4), (unsigned int)(bytes % sizeof(uint4))};
}
} // namespace

extern "C" void osw_cuda_hash(cudaStream_t stream, const void *data,
                              uint64_t bytes, uint64_t seed, int first,
                              struct osw_cuda_hash *state,
                              unsigned long long *seen)
{
    hash<<<n_blocks(bytes / 8), THREADS, 0, stream>>>(
        hashed_of(data, bytes, seed, first, seen), state);
}

extern "C" void osw_cuda_show(cudaStream_t stream,
                              const struct osw_cuda_made *made,
                              struct osw_cuda_hash *state)
{
    struct copied c = copied_of(made->to, made->from, made->n_copied);
    uint64_t words = made->bytes / 8;

    show<<<n_blocks(words > c.n ? words : c.n), THREADS, 0, stream>>>(
        hashed_of(made), c, state);
}

extern "C" void osw_cuda_turn(cudaStream_t stream,
                              const struct osw_cuda_made *made,
                              struct osw_cuda_hash *state, void *to,
                              const void *from, uint64_t bytes)
{
    turn<<<1, TURN_THREADS, 0, stream>>>(
        hashed_of(made), copied_of(made->to, made->from, made->n_copied), state,
        copied_of(to, from, bytes));
}

extern "C" void osw_cuda_read(cudaStream_t stream, const void *data,
                              uint64_t bytes, unsigned int *sink)
{
    read_all<<<BLOCKS, THREADS, 0, stream>>>(static_cast<const uint4 *>(data),
                                             bytes / sizeof(uint4), sink);
}

extern "C" void osw_cuda_move(cudaStream_t stream, void *to, const void *from,
                              uint64_t bytes)
{
    struct copied c = copied_of(to, from, bytes);

    move<<<n_blocks(c.n), THREADS, 0, stream>>>(c);
}

extern "C" void osw_cuda_edit(cudaStream_t stream, struct osw_cuda_edits *state,
                              int64_t call, bool whole)
{
    if (whole)
        edit_all<<<BLOCKS, THREADS, 0, stream>>>(state, true);
    edit<<<1, 1, 0, stream>>>(state, call);
    if (whole)
        edit_all<<<BLOCKS, THREADS, 0, stream>>>(state, false);
}

extern "C" void osw_cuda_edit_end(cudaStream_t stream,
                                  struct osw_cuda_edits *state, bool whole)
{
    if (whole)
        edit_all<<<BLOCKS, THREADS, 0, stream>>>(state, true);
    edit_end<<<1, 1, 0, stream>>>(state);
}

extern "C" void osw_cuda_nothing(cudaStream_t stream)
{
    nothing<<<1, 1, 0, stream>>>();
}

extern "C" void osw_cuda_hold(cudaStream_t stream, const unsigned int *gate,
                              unsigned int ticket, uint64_t most_ns,
                              unsigned int *late)
{
    hold<<<1, 1, 0, stream>>>(gate, ticket, most_ns, late);
}
