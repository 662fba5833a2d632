/* worker/judge/memory/judge_device_cuda.cuh - what the judge's kernels share
 *
 * Grids of blocks of THREADS, each thread going on by n_threads().  What a
 * grid finds is merged in an order that depends on nothing but the size of
 * the grid, so that sums are the same in every run: threads of a block by a
 * tree, then the last block to finish merges all blocks.
 */
#ifndef OSW_WORKER_JUDGE_JUDGE_DEVICE_CUDA_CUH
#define OSW_WORKER_JUDGE_JUDGE_DEVICE_CUDA_CUH

#include "worker/judge/memory/judge_kernels_cuda.h"

enum { THREADS = 256, WARP = 32 };

/* At the beginning of the scratch memory; 0 between kernels. */
struct scratch {
    unsigned int ticket; /* blocks that are done */
    unsigned int unused;
    unsigned long long abs, rel, ulp, norm; /* bits of maxima so far */
};

enum { PARTIALS_AT = 256 }; /* bytes, in the scratch memory */

static inline int blocks_for(const struct osw_gpu_place *place, int64_t items)
{
    int64_t blocks = (items + THREADS - 1) / THREADS;

    return blocks < 1
               ? 1
               : (int)(blocks < place->n_blocks ? blocks : place->n_blocks);
}

static __device__ __forceinline__ int64_t thread_id()
{
    return (int64_t)blockIdx.x * THREADS + threadIdx.x;
}

static __device__ __forceinline__ int64_t n_threads()
{
    return (int64_t)gridDim.x * THREADS;
}

static __device__ __forceinline__ bool is_aligned(const void *p, int to)
{
    return ((uintptr_t)p & (uintptr_t)(to - 1)) == 0;
}

/* --- orders --- */

/* `left` by `by`, quickly where both are small; *left keeps the rest. */
static __device__ __forceinline__ uint64_t divide(uint64_t *left, uint64_t by)
{
    uint64_t whole;

    if (((*left | by) >> 32) == 0)
        whole = (uint32_t)*left / (uint32_t)by;
    else
        whole = *left / by;
    *left -= whole * by;
    return whole;
}

/* Where the k-th element of an order lies. */
struct place {
    int64_t index, offset, other;
};

static __device__ __forceinline__ struct place
locate(const struct osw_gpu_walk *w, int64_t k)
{
    struct place at = {0, 0, 0};
    uint64_t left = (uint64_t)k;

    for (int d = w->n - 1; d >= 0; d--) {
        uint64_t i = left, outer = 0;

        if (d > 0) /* else nothing is left for further out */
            outer = divide(&i, (uint64_t)w->size[d]);
        left = outer;
        at.index += (int64_t)i * w->step[d];
        at.offset += (int64_t)i * w->stride[d];
        at.other += (int64_t)i * w->other[d];
    }
    return at;
}

/* --- merging what threads found --- */

/* A finding is a struct of 8-byte fields with merge(a, b) and none(). */
template <class F> __device__ __forceinline__ F from_lane(F mine, int down)
{
    union words {
        F f;
        unsigned long long w[sizeof(F) / 8];
        __device__ words()
        {
        }
    } u;

    u.f = mine;
    for (int i = 0; i < (int)(sizeof(F) / 8); i++)
        u.w[i] = __shfl_down_sync(~0u, u.w[i], down);
    return u.f;
}

/* In a loop: five copies of a large merge() are most of a kernel. */
template <class F> __device__ F merge_warp(F mine)
{
#pragma unroll 1
    for (int down = WARP / 2; down >= 1; down /= 2)
        mine = F::merge(mine, from_lane(mine, down));
    return mine;
}

/* The whole block's, in thread 0. */
template <class F> __device__ F merge_block(F mine)
{
    __shared__ F warps[THREADS / WARP];

    mine = merge_warp(mine);
    __syncthreads(); /* the room may be in use from the last time */
    if (threadIdx.x % WARP == 0)
        warps[threadIdx.x / WARP] = mine;
    __syncthreads();
    if (threadIdx.x < WARP) {
        mine = threadIdx.x < THREADS / WARP ? warps[threadIdx.x] : F::none();
        mine = merge_warp(mine);
    }
    return mine;
}

template <class F> __device__ __forceinline__ F load_partial(const F *from)
{
    const unsigned long long *p = (const unsigned long long *)from;
    F f = F::none();

    for (int i = 0; i < (int)(sizeof(F) / 8); i++)
        ((unsigned long long *)&f)[i] = __ldcg(p + i);
    return f;
}

/* Is this the last block of the grid to come here? */
static __device__ bool is_last_block(struct scratch *scratch)
{
    __shared__ bool last;

    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&scratch->ticket, 1u) == gridDim.x - 1;
    __syncthreads();
    __threadfence();
    return last;
}

/* True in one thread of the grid, which has the whole grid's finding in *all
 * and leaves the scratch memory as it was.
 */
template <class F>
__device__ bool merge_grid(F mine, struct scratch *scratch, F *all)
{
    F *partials = (F *)((char *)scratch + PARTIALS_AT);

    mine = merge_block(mine);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = mine;
    if (!is_last_block(scratch))
        return false;
    mine = F::none();
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += THREADS)
        mine = F::merge(mine, load_partial(partials + b));
    *all = merge_block(mine);
    if (threadIdx.x != 0)
        return false;
    scratch->ticket = 0;
    scratch->abs = scratch->rel = scratch->ulp = scratch->norm = 0;
    return true;
}

#endif /* OSW_WORKER_JUDGE_JUDGE_DEVICE_CUDA_CUH */
