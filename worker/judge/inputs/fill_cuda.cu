/* worker/judge/inputs/fill_cuda.cu - inputs by counter on a GPU, as the host's
 *
 * Usual fills of contiguous tensors have a kernel each, in which a thread
 * makes 16 bytes; all others go through osw_recipe_element(), which is
 * several times as much code: few kernels have a copy of it.
 */
#include <cuda_runtime.h>

#include "worker/judge/inputs/fill_usual_cuda.cuh"
#include "worker/judge/memory/judge_device_cuda.cuh"

/* --- one element anywhere --- */

static __device__ void store_part(void *to, int bits, uint64_t value)
{
    if (bits == 64)
        *(uint64_t *)to = value;
    else if (bits == 32)
        *(uint32_t *)to = (uint32_t)value;
    else if (bits == 16)
        *(uint16_t *)to = (uint16_t)value;
    else
        *(uint8_t *)to = (uint8_t)value;
}

static __device__ __noinline__ void put(const struct osw_element_rule *rule,
                                        int64_t index, char *data,
                                        int64_t offset)
{
    struct osw_element_bits e = osw_recipe_element(rule, index);
    int bytes = rule->part.bits / 8;
    char *to = data + offset * (bytes * rule->parts);

    store_part(to, rule->part.bits, e.part[0]);
    if (rule->parts == 2)
        store_part(to + bytes, rule->part.bits, e.part[1]);
}

/* The first bytes of a group: where a tensor ends within it. */
static __device__ __forceinline__ void store_some(uint4 *to, uint4 group,
                                                  int64_t n_bytes)
{
    const uint32_t w[4] = {group.x, group.y, group.z, group.w};

#pragma unroll
    for (int i = 0; i < 16; i++)
        if (i < n_bytes)
            ((uint8_t *)to)[i] = (uint8_t)(w[i / 4] >> (i % 4 * 8));
}

/* --- usual fills --- */

/* How a grid goes on.  Arguments: instructions take them from where they are,
 * while what is worked out in a kernel is worked out again in every round.
 */
struct stride {
    int64_t groups; /* of 16 bytes */
    uint64_t begun; /* their elements times OSW_PHILOX_M0 */
};

/* Groups of one upper word of the index after another, so that what comes of
 * it in the first two rounds is worked out once.
 */
template <int DRAW, int CODE, int BITS>
__global__ void __launch_bounds__(THREADS)
    fill_usual(const __grid_constant__ struct osw_element_rule rule,
               uint4 *data, int64_t n, struct stride by)
{
    typedef struct usual<DRAW, CODE, BITS> usual;
    int64_t groups = n / usual::N, g = thread_id();

    while (g < groups) {
        uint64_t first = (uint64_t)g * usual::N;
        uint64_t begun = (uint64_t)OSW_PHILOX_M0 * (uint32_t)first;
        uint32_t upper = (uint32_t)(first >> 32);
        int64_t end = ((int64_t)upper + 1) * ((INT64_C(1) << 32) / usual::N);
        uint4 *at = data + g;
        uint32_t left;

        end = min(end, groups);
        left = (uint32_t)((end - g + by.groups - 1) / by.groups);
        g += left * by.groups;
        for (; left > 0; left--, at += by.groups, begun += by.begun)
            __stcs(at, usual::group(&rule, upper, begun));
    }
    if (g == groups && n % usual::N != 0) { /* one thread */
        uint64_t first = (uint64_t)g * usual::N;

        store_some(data + g,
                   usual::group(&rule, (uint32_t)(first >> 32),
                                (uint64_t)OSW_PHILOX_M0 * (uint32_t)first),
                   n % usual::N * (16 / usual::N));
    }
}

typedef void (*fill_f)(const struct osw_element_rule rule, uint4 *data,
                       int64_t n, struct stride by);

static const struct usual_kernel<fill_f> usuals[] = USUALS(fill_usual);

/* --- all others --- */

/* bytes: of an element, 1, 2, 4, 8 or 16. */
static __device__ __forceinline__ uint4
any_group(const struct osw_element_rule *r, int64_t first, int bytes)
{
    uint64_t low = 0, high = 0;
    int bits = 8 * bytes;

#pragma unroll 1
    for (int k = 0; k < 16 / bytes; k++) {
        struct osw_element_bits e = osw_recipe_element(r, first + k);
        uint64_t value = e.part[0];

        if (bytes == 16) {
            low = e.part[0];
            high = e.part[1];
            break;
        }
        if (r->parts == 2)
            value |= e.part[1] << (bits / 2);
        if (bytes == 8) {
            low = high;
            high = value;
        } else { /* the first ends up in the lowest bytes */
            low = low >> bits | high << (64 - bits);
            high = high >> bits | value << (64 - bits);
        }
    }
    return make_uint4((uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high,
                      (uint32_t)(high >> 32));
}

__global__ void __launch_bounds__(THREADS)
    fill_any(const __grid_constant__ struct osw_element_rule rule, uint4 *data,
             int64_t n, struct stride by)
{
    int bytes = rule.part.bits / 8 * rule.parts, per_group = 16 / bytes;

    for (int64_t g = thread_id(); g * per_group < n; g += by.groups) {
        uint4 v = any_group(&rule, g * per_group, bytes);
        int64_t left = n - g * per_group;

        if (left >= per_group)
            __stcs(data + g, v);
        else
            store_some(data + g, v, left * bytes);
    }
}

/* The same everywhere: groups are copies of the first. */
__global__ void __launch_bounds__(THREADS)
    fill_constant(const __grid_constant__ struct osw_element_rule rule,
                  uint4 *data, int64_t n, struct stride by)
{
    int part_bytes = rule.part.bits / 8, bytes = part_bytes * rule.parts;
    int64_t groups = n / (16 / bytes), g;
    uint64_t half[2] = {0, 0};
    uint4 v;

    for (int at = 0; at < 16; at += part_bytes)
        if (rule.parts == 1 || !rule.second_is_0 || at / part_bytes % 2 == 0)
            half[at / 8] |= rule.bits << (at % 8 * 8);
    v = make_uint4((uint32_t)half[0], (uint32_t)(half[0] >> 32),
                   (uint32_t)half[1], (uint32_t)(half[1] >> 32));
    for (g = thread_id(); g < groups; g += by.groups)
        __stcs(data + g, v);
    if (g == groups)
        store_some(data + g, v, n % (16 / bytes) * bytes);
}

__global__ void __launch_bounds__(THREADS)
    fill_walk(const __grid_constant__ struct osw_element_rule rule,
              const __grid_constant__ struct osw_gpu_walk walk, char *data,
              int64_t n)
{
    for (int64_t k = thread_id(); k < n; k += n_threads()) {
        struct place at = locate(&walk, k);

        put(&rule, at.index, data, at.offset);
    }
}

/* The two elements of indices that usual kernels leave random. */
__global__ void fill_ends(const __grid_constant__ struct osw_element_rule rule,
                          char *data)
{
    int64_t at = rule.ends[threadIdx.x];

    put(&rule, at, data, at);
}

/* --- launches --- */

static fill_f kernel_for(const struct osw_element_rule *rule)
{
    if (rule->draw == OSW_ELEMENT_CONSTANT)
        return fill_constant;
    for (size_t i = 0; i < sizeof(usuals) / sizeof(usuals[0]); i++)
        if (usuals[i].makes(rule))
            return usuals[i].kernel;
    return fill_any;
}

extern "C" int osw_gpu_fill(const struct osw_gpu_place *place,
                            const struct osw_element_rule *rule, void *data,
                            int64_t n)
{
    int64_t bytes = rule->part.bits / 8 * rule->parts;
    int blocks = blocks_for(place, (n * bytes + 15) / 16);
    struct stride by = {(int64_t)blocks * THREADS, 0};
    struct osw_gpu_walk walk = {1, {n}, {1}, {1}, {0}};
    fill_f kernel = kernel_for(rule);

    if ((uintptr_t)data % 16 != 0)
        return osw_gpu_fill_walk(place, rule, &walk, data, n);
    by.begun = (uint64_t)(by.groups * (16 / bytes)) * OSW_PHILOX_M0;
    kernel<<<blocks, THREADS, 0, (cudaStream_t)place->stream>>>(
        *rule, (uint4 *)data, n, by);
    if (rule->draw == OSW_ELEMENT_INDEX_I64)
        fill_ends<<<1, 2, 0, (cudaStream_t)place->stream>>>(*rule,
                                                            (char *)data);
    return (int)cudaGetLastError();
}

extern "C" int osw_gpu_fill_walk(const struct osw_gpu_place *place,
                                 const struct osw_element_rule *rule,
                                 const struct osw_gpu_walk *walk, void *data,
                                 int64_t n)
{
    fill_walk<<<blocks_for(place, n), THREADS, 0,
                (cudaStream_t)place->stream>>>(*rule, *walk, (char *)data, n);
    return (int)cudaGetLastError();
}
