/* worker/judge/memory/bytes_cuda.cu - poison and hashes on a GPU
 *
 * Memory is read 16 bytes at a time as far as it is aligned, at its ends byte
 * by byte.  Two ranges that are not aligned alike are all ends.
 */
#include <cuda_runtime.h>

#include "worker/hash_mix.h"
#include "worker/judge/memory/judge_device_cuda.cuh"

#define NONE (~0ull)

/* --- the first byte that is not as it should be --- */

struct first {
    unsigned long long at;

    static __device__ struct first none()
    {
        return {NONE};
    }
    static __device__ struct first merge(struct first a, struct first b)
    {
        return a.at < b.at ? a : b;
    }
};

/* Offset of the first byte that is not 0; 16: there is none. */
static __device__ __forceinline__ unsigned int first_byte(uint4 v)
{
    const uint32_t w[4] = {v.x, v.y, v.z, v.w};

    for (unsigned int i = 0; i < 4; i++)
        if (w[i] != 0)
            return 4 * i + (unsigned int)(__ffs((int)w[i]) - 1) / 8;
    return 16;
}

static __device__ __forceinline__ uint4 differ(uint4 a, uint4 b)
{
    return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w);
}

struct range {
    const unsigned char *a, *b; /* b NULL: a repeated byte */
    unsigned long long n, head; /* head: bytes before the aligned ones */
    unsigned char pattern;
};

/* Byte by byte, [from, n). */
static __device__ struct first first_of_bytes(const struct range *r,
                                              unsigned long long from,
                                              unsigned long long n)
{
    struct first found = {NONE};
    unsigned long long i = from + (unsigned long long)thread_id();

    for (; i < n && found.at == NONE; i += (unsigned long long)n_threads())
        if (r->a[i] != (r->b ? r->b[i] : r->pattern))
            found.at = i;
    return found;
}

static __device__ struct first first_of_groups(const struct range *r)
{
    const uint4 *a = (const uint4 *)(r->a + r->head);
    const uint4 *b = (const uint4 *)(r->b + r->head);
    int64_t n = (int64_t)((r->n - r->head) / 16), step = n_threads();
    uint32_t repeated = 0x01010101u * r->pattern;
    uint4 same = make_uint4(repeated, repeated, repeated, repeated);

    for (int64_t g = thread_id(); g < n; g += 2 * step) {
        bool two = g + step < n;
        uint4 v = __ldcs(a + g), w = two ? __ldcs(a + g + step) : same;
        uint4 v2 = r->b ? __ldcs(b + g) : same;
        uint4 w2 = r->b && two ? __ldcs(b + g + step) : same;
        uint4 x = differ(v, v2), y = differ(w, w2);

        if ((x.x | x.y | x.z | x.w) != 0)
            return {r->head + 16 * (unsigned long long)g + first_byte(x)};
        if ((y.x | y.y | y.z | y.w) != 0)
            return {r->head + 16 * (unsigned long long)(g + step) +
                    first_byte(y)};
    }
    return {NONE};
}

__global__ void __launch_bounds__(THREADS)
    find_first(const __grid_constant__ struct range range,
               struct scratch *scratch, struct osw_gpu_result *result)
{
    unsigned long long tail = (range.n - range.head) / 16 * 16 + range.head;
    struct first all, found = first_of_bytes(&range, 0, range.head);

    found = first::merge(found, first_of_groups(&range));
    found = first::merge(found, first_of_bytes(&range, tail, range.n));
    if (merge_grid(found, scratch, &all))
        result->word = all.at;
}

static int launch_first(const struct osw_gpu_place *place, struct range r)
{
    uintptr_t to_16 = (16 - (uintptr_t)r.a % 16) % 16;

    if (r.b && ((uintptr_t)r.a - (uintptr_t)r.b) % 16 != 0)
        r.head = r.n;
    else
        r.head = to_16 < r.n ? to_16 : r.n;
    find_first<<<blocks_for(place, (int64_t)(r.n / 16 + r.head + 1)), THREADS,
                 0, (cudaStream_t)place->stream>>>(
        r, (struct scratch *)place->scratch, place->result);
    return (int)cudaGetLastError();
}

extern "C" int osw_gpu_check(const struct osw_gpu_place *place,
                             const void *data, uint64_t n,
                             unsigned char pattern)
{
    return launch_first(place,
                        {(const unsigned char *)data, NULL, n, 0, pattern});
}

extern "C" int osw_gpu_differs(const struct osw_gpu_place *place, const void *a,
                               const void *b, uint64_t n)
{
    return launch_first(
        place, {(const unsigned char *)a, (const unsigned char *)b, n, 0, 0});
}

/* --- gaps --- */

/* Dimensions that nest leave one candidate each: what is left over then is
 * within the reach of the next, or never comes to 0.
 */
static __device__ __forceinline__ bool
is_element(const struct osw_gpu_walk *walk, uint64_t offset)
{
    for (int d = 0; d < walk->n; d++) {
        uint64_t stride = (uint64_t)walk->stride[d];
        uint64_t last = (uint64_t)walk->size[d] - 1;
        uint64_t left = offset, at = divide(&left, stride);

        offset = at > last ? offset - last * stride : left;
    }
    return offset == 0;
}

__global__ void __launch_bounds__(THREADS)
    find_in_gaps(const __grid_constant__ struct osw_gpu_walk walk,
                 const unsigned char *data, int64_t extent, int bytes,
                 unsigned char pattern, struct scratch *scratch,
                 struct osw_gpu_result *result)
{
    struct first all, found = {NONE};

    for (int64_t at = thread_id(); at < extent && found.at == NONE;
         at += n_threads()) {
        const unsigned char *p = data + at * bytes;

        if (is_element(&walk, (uint64_t)at))
            continue;
        for (int i = bytes - 1; i >= 0; i--)
            if (p[i] != pattern)
                found.at = (unsigned long long)(at * bytes + i);
    }
    if (merge_grid(found, scratch, &all))
        result->word = all.at;
}

extern "C" int osw_gpu_check_gaps(const struct osw_gpu_place *place,
                                  const void *data,
                                  const struct osw_gpu_walk *walk,
                                  int64_t extent, int32_t elem_bytes,
                                  unsigned char pattern)
{
    find_in_gaps<<<blocks_for(place, extent), THREADS, 0,
                   (cudaStream_t)place->stream>>>(
        *walk, (const unsigned char *)data, extent, elem_bytes, pattern,
        (struct scratch *)place->scratch, place->result);
    return (int)cudaGetLastError();
}

/* --- hashes: as worker/hash.c makes them --- */

struct sum {
    unsigned long long of;

    static __device__ struct sum none()
    {
        return {0};
    }
    static __device__ struct sum merge(struct sum a, struct sum b)
    {
        return {a.of + b.of};
    }
};

static __device__ __forceinline__ unsigned long long pair(uint32_t low,
                                                          uint32_t high)
{
    return (unsigned long long)high << 32 | low;
}

/* Words 2 g and 2 g + 1, of a group. */
static __device__ __forceinline__ unsigned long long
mix_group(uint4 v, unsigned long long at)
{
    return osw_hash_mix(pair(v.x, v.y) ^ at) +
           osw_hash_mix(pair(v.z, v.w) ^ (at + OSW_HASH_POSITION));
}

/* Words of [from, n) bytes, the last one filled up with zeros. */
template <bool COPY>
static __device__ unsigned long long
hash_words(unsigned char *to, const unsigned char *data,
           unsigned long long from, unsigned long long n,
           unsigned long long start)
{
    unsigned long long sum = 0;
    unsigned long long i = from / 8 + (unsigned long long)thread_id();

    for (; 8 * i < n; i += (unsigned long long)n_threads()) {
        unsigned long long word = 0;

        for (unsigned int k = 0; k < 8 && 8 * i + k < n; k++) {
            unsigned char byte = data[8 * i + k];

            word |= (unsigned long long)byte << 8 * k;
            if (COPY)
                to[8 * i + k] = byte;
        }
        sum += osw_hash_mix(word ^ (start + i * OSW_HASH_POSITION));
    }
    return sum;
}

/* COPY: of what is copied on the way, each byte being read once. */
template <bool COPY>
__global__ void __launch_bounds__(THREADS)
    hash(unsigned char *to, const unsigned char *data, unsigned long long n,
         unsigned long long seed, struct scratch *scratch,
         struct osw_gpu_result *result)
{
    unsigned long long start = osw_hash_mix(seed + OSW_HASH_POSITION);
    bool wide = is_aligned(data, 16) && (!COPY || is_aligned(to, 16));
    int64_t groups = wide ? (int64_t)(n / 16) : 0;
    int64_t step = n_threads();
    struct sum all, mine = {0};

    for (int64_t g = thread_id(); g < groups; g += 2 * step) {
        bool two = g + step < groups;
        uint4 v = __ldcs((const uint4 *)data + g), w = v;
        unsigned long long at =
            start + 2 * (unsigned long long)g * OSW_HASH_POSITION;

        if (two)
            w = __ldcs((const uint4 *)data + g + step);
        mine.of += mix_group(v, at);
        if (COPY)
            ((uint4 *)to)[g] = v;
        if (two)
            mine.of += mix_group(w, at + 2 * (unsigned long long)step *
                                             OSW_HASH_POSITION);
        if (COPY && two)
            ((uint4 *)to)[g + step] = w;
    }
    mine.of +=
        hash_words<COPY>(to, data, 16 * (unsigned long long)groups, n, start);
    if (merge_grid(mine, scratch, &all))
        result->word = osw_hash_mix(start + all.of + OSW_HASH_POSITION * n);
}

extern "C" int osw_gpu_hash(const struct osw_gpu_place *place, void *to,
                            const void *data, uint64_t n, uint64_t seed)
{
    (to ? hash<true>
        : hash<false>)<<<blocks_for(place, (int64_t)(n / 16 + 1)), THREADS, 0,
                         (cudaStream_t)place->stream>>>(
        (unsigned char *)to, (const unsigned char *)data, n, seed,
        (struct scratch *)place->scratch, place->result);
    return (int)cudaGetLastError();
}
