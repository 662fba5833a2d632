/* tests/bench/gpu/fill_roof.cu - how fast registers alone make a fill
 *
 * The loop of fill_cuda.cu around the same usual::group(), less the store and
 * its address: groups are only xored together, two instructions of each, and
 * what comes of it all is four bytes per thread, so that nothing is left out.
 */
#include <cuda_runtime.h>

#include "tests/bench/gpu/fill_roof.h"
#include "worker/judge/inputs/fill_usual_cuda.cuh"

enum {
    THREADS = 256,
    FULL =
        2048 / THREADS, /* blocks at once, of the largest number of threads */
    LAUNCHES = 5,
    ELEMENTS = 32768, /* of a thread */
};

template <int DRAW, int CODE, int BITS>
static __device__ __forceinline__ void
make_groups(const struct osw_element_rule *rule, uint32_t *out, uint32_t left,
            uint32_t upper, uint64_t step)
{
    typedef struct usual<DRAW, CODE, BITS> usual;
    uint32_t id = blockIdx.x * THREADS + threadIdx.x, all = 0;
    uint64_t begun = (uint64_t)OSW_PHILOX_M0 * (id * usual::N);

#pragma unroll 1
    for (; left > 0; left--, begun += step) {
        uint4 v = usual::group(rule, upper, begun);

        all ^= v.x ^ v.y;
        all ^= v.z ^ v.w;
    }
    out[id] = all;
}

/* With as many registers as the compiler likes, and with as many as let FULL
 * blocks run at once, though some have to go to memory for that.
 */
template <int DRAW, int CODE, int BITS>
__global__ void __launch_bounds__(THREADS)
    make(const __grid_constant__ struct osw_element_rule rule, uint32_t *out,
         uint32_t left, uint32_t upper, uint64_t step)
{
    make_groups<DRAW, CODE, BITS>(&rule, out, left, upper, step);
}

template <int DRAW, int CODE, int BITS>
__global__ void __launch_bounds__(THREADS, FULL)
    make_full(const __grid_constant__ struct osw_element_rule rule,
              uint32_t *out, uint32_t left, uint32_t upper, uint64_t step)
{
    make_groups<DRAW, CODE, BITS>(&rule, out, left, upper, step);
}

typedef void (*make_f)(const struct osw_element_rule rule, uint32_t *out,
                       uint32_t left, uint32_t upper, uint64_t step);

static const struct usual_kernel<make_f> makes[] = USUALS(make);
static const struct usual_kernel<make_f> fulls[] = USUALS(make_full);

/* As many blocks as run at once; 0: an error. */
static int blocks_at_once(make_f kernel)
{
    int device = 0, units = 0, per_unit = 0;

    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount,
                               device) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &per_unit, kernel, THREADS, 0) != cudaSuccess)
        return 0;
    return units * per_unit;
}

/* Milliseconds of the fastest launch, after one that warms up. */
static float best_ms(make_f kernel, const struct osw_element_rule *rule,
                     int blocks, uint32_t *out)
{
    uint32_t n = 128u / rule->part.bits; /* elements of a group */
    uint64_t step = (uint64_t)OSW_PHILOX_M0 * ((uint32_t)blocks * THREADS * n);
    cudaEvent_t start, stop;
    float ms = 0, best = 1e30f;

    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (int i = -1; i < LAUNCHES; i++) {
        cudaEventRecord(start);
        kernel<<<blocks, THREADS>>>(*rule, out, ELEMENTS / n, 0, step);
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        cudaEventElapsedTime(&ms, start, stop);
        best = i >= 0 && ms < best ? ms : best;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return best;
}

/* Elements per second; -1: an error. */
static double rate(make_f kernel, const struct osw_element_rule *rule)
{
    int blocks = blocks_at_once(kernel);
    double threads = (double)blocks * THREADS;
    uint32_t *out = NULL;
    float ms;

    if (blocks == 0 || cudaMalloc(&out, (size_t)(threads * 4)) != cudaSuccess)
        return -1;
    ms = best_ms(kernel, rule, blocks, out);
    cudaFree(out);
    return cudaGetLastError() == cudaSuccess ? threads * ELEMENTS / (ms * 1e-3)
                                             : -1;
}

extern "C" double fill_roof(const struct osw_element_rule *rule)
{
    for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++)
        if (makes[i].makes(rule)) {
            double some = rate(makes[i].kernel, rule);
            double full = rate(fulls[i].kernel, rule);

            return some < 0 || full < 0 ? -1 : some > full ? some : full;
        }
    return 0;
}
