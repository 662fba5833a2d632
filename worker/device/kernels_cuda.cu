/* worker/device/kernels_cuda.cu - small kernels of the CUDA device */
#include "worker/device/kernels_cuda.h"
#include "worker/hash_mix.h"

namespace
{
const unsigned int THREADS = 256, BLOCKS = 1024;

const uint64_t HOLD_NS = 2000000000;

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

/* A sum, so blocks may come in any order; the last one closes the hash. */
template <bool aligned>
__device__ void hash_all(const unsigned char *data, uint64_t bytes,
                         uint64_t start, bool first,
                         struct osw_cuda_hash *state, unsigned long long *seen)
{
    __shared__ unsigned long long part[THREADS / 32];
    uint64_t words = bytes / 8, step = (uint64_t)gridDim.x * THREADS, sum = 0;
    uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;

    for (; i < words; i += step)
        sum += osw_hash_mix(load_word<aligned>(data + 8 * i) ^
                            (start + i * OSW_HASH_POSITION));
    if (i == words && bytes % 8)
        sum += osw_hash_mix(load_tail(data + 8 * words, bytes % 8) ^
                            (start + words * OSW_HASH_POSITION));
    for (int lane = 16; lane; lane /= 2)
        sum += __shfl_down_sync(~0u, sum, lane);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (unsigned int w = 1; w < THREADS / 32; w++)
        sum += part[w];
    atomicAdd(&state->partial, (unsigned long long)sum);
    __threadfence();
    if (atomicAdd(&state->done, 1u) + 1 != gridDim.x)
        return;
    __threadfence();
    sum = atomicExch(&state->partial, 0ull) + start + OSW_HASH_POSITION * bytes;
    sum = osw_hash_mix(sum) + (first ? 0 : state->sum);
    state->sum = sum;
    state->done = 0;
    *seen = sum;
}

__device__ void move_all(uint4 *to, const uint4 *from, uint64_t n,
                         unsigned int rest)
{
    uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;

    for (uint64_t k = i; k < n; k += (uint64_t)gridDim.x * THREADS)
        to[k] = from[k];
    if (i < rest)
        reinterpret_cast<unsigned char *>(to + n)[i] =
            reinterpret_cast<const unsigned char *>(from + n)[i];
}

template <bool aligned>
__global__ void hash(const unsigned char *data, uint64_t bytes, uint64_t start,
                     bool first, struct osw_cuda_hash *state,
                     unsigned long long *seen)
{
    hash_all<aligned>(data, bytes, start, first, state, seen);
}

template <bool aligned>
__global__ void
hash_move(const unsigned char *data, uint64_t bytes, uint64_t start, bool first,
          struct osw_cuda_hash *state, unsigned long long *seen, uint4 *to,
          const uint4 *from, uint64_t n, unsigned int rest)
{
    move_all(to, from, n, rest);
    hash_all<aligned>(data, bytes, start, first, state, seen);
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

__global__ void move(uint4 *to, const uint4 *from, uint64_t n,
                     unsigned int rest)
{
    move_all(to, from, n, rest);
}

__global__ void edit(struct osw_cuda_edits *s, int64_t call)
{
    uint64_t n = call < 0 ? s->next : (uint64_t)call;

    osw_edits_undo(s->base, &s->undo);
    osw_edits_apply(&s->edits, n, s->base, &s->undo);
    s->next = n + 1;
}

__global__ void edit_end(struct osw_cuda_edits *s)
{
    osw_edits_undo(s->base, &s->undo);
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
                     volatile unsigned int *late)
{
    uint64_t t0 = now_ns();

    while (*gate < ticket)
        if (now_ns() - t0 > HOLD_NS) {
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

bool is_aligned(const unsigned char *p)
{
    return reinterpret_cast<uintptr_t>(p) % 8 == 0;
}
} // namespace

extern "C" void osw_cuda_hash(cudaStream_t stream, const void *data,
                              uint64_t bytes, uint64_t seed, int first,
                              struct osw_cuda_hash *state,
                              unsigned long long *seen)
{
    uint64_t start = osw_hash_mix(seed + OSW_HASH_POSITION);
    unsigned int n = n_blocks(bytes / 8);
    const unsigned char *p = static_cast<const unsigned char *>(data);

    if (is_aligned(p))
        hash<true><<<n, THREADS, 0, stream>>>(p, bytes, start, first != 0,
                                              state, seen);
    else
        hash<false><<<n, THREADS, 0, stream>>>(p, bytes, start, first != 0,
                                               state, seen);
}

extern "C" void osw_cuda_hash_move(cudaStream_t stream, const void *data,
                                   uint64_t bytes, uint64_t seed, int first,
                                   struct osw_cuda_hash *state,
                                   unsigned long long *seen, void *to,
                                   const void *from, uint64_t n_moved)
{
    uint64_t start = osw_hash_mix(seed + OSW_HASH_POSITION);
    uint64_t words = n_moved / sizeof(uint4);
    unsigned int rest = (unsigned int)(n_moved % sizeof(uint4));
    unsigned int n = n_blocks(bytes / 8 > words ? bytes / 8 : words);
    const unsigned char *p = static_cast<const unsigned char *>(data);
    const uint4 *source = static_cast<const uint4 *>(from);
    uint4 *target = static_cast<uint4 *>(to);

    if (is_aligned(p))
        hash_move<true><<<n, THREADS, 0, stream>>>(p, bytes, start, first != 0,
                                                   state, seen, target, source,
                                                   words, rest);
    else
        hash_move<false><<<n, THREADS, 0, stream>>>(p, bytes, start, first != 0,
                                                    state, seen, target, source,
                                                    words, rest);
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
    uint64_t n = bytes / sizeof(uint4);

    move<<<n_blocks(n), THREADS, 0, stream>>>(
        static_cast<uint4 *>(to), static_cast<const uint4 *>(from), n,
        (unsigned int)(bytes % sizeof(uint4)));
}

extern "C" void osw_cuda_edit(cudaStream_t stream, struct osw_cuda_edits *state,
                              int64_t call)
{
    edit<<<1, 1, 0, stream>>>(state, call);
}

extern "C" void osw_cuda_edit_end(cudaStream_t stream,
                                  struct osw_cuda_edits *state)
{
    edit_end<<<1, 1, 0, stream>>>(state);
}

extern "C" void osw_cuda_nothing(cudaStream_t stream)
{
    nothing<<<1, 1, 0, stream>>>();
}

extern "C" void osw_cuda_hold(cudaStream_t stream, const unsigned int *gate,
                              unsigned int ticket, unsigned int *late)
{
    hold<<<1, 1, 0, stream>>>(gate, ticket, late);
}
