/* tests/twin/hopper/cuda_runtime.h - CUDA kernels of whole warps on a
 * processor, for tests
 *
 * It stands for CUDA's own header and for ops/library/shared/launch.cuh.  A
 * launch runs the clusters one after the other.  The threads of a cluster are
 * contexts that take turns: each runs until it waits for others, or ends.
 * Shared memory is filled with a pattern before each cluster.
 *
 * What it cannot show: races, speed, and the GPU's own rounding.
 */
#ifndef TWIN_HOPPER_CUDA_RUNTIME_H
#define TWIN_HOPPER_CUDA_RUNTIME_H

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define OSW_LIBRARY_LAUNCH_CUH /* its functions are below */
#define __CUDACC__             1
#define __host__
#define __device__
#define __global__
#define __shared__ static
#define __grid_constant__
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)

#include <opsweep/op.h>

enum {
    TWIN_BLOCKS = 2,    /* of a cluster */
    TWIN_THREADS = 512, /* of a block */
    TWIN_STACK = 256 * 1024,
    TWIN_SHARED = 227 * 1024,
    TWIN_GROUPS = 64,
    TWIN_TURNS = 1000000, /* of all threads, without an end: a deadlock */
};

typedef void *cudaStream_t;

struct dim3 {
    unsigned x, y, z;

    dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1)
        : x(nx), y(ny), z(nz)
    {
    }
};

struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};

struct alignas(16) float4 {
    float x, y, z, w;
};

static dim3 gridDim, blockDim, blockIdx, threadIdx;
static unsigned twin_rank, twin_blocks; /* in the cluster, of the cluster */

static inline void __stwt(uint4 *to, uint4 v)
{
    *to = v;
}

static inline float __uint_as_float(uint32_t v)
{
    float f;

    memcpy(&f, &v, sizeof(f));
    return f;
}

/* --- threads --- */

struct twin_cluster {
    jmp_buf loop, thread[TWIN_BLOCKS * TWIN_THREADS];
    bool made[TWIN_BLOCKS * TWIN_THREADS], ended[TWIN_BLOCKS * TWIN_THREADS];
    unsigned first_block;
    void (*run)(void *);
    void *kernel;
};

static twin_cluster twin_now;

static void twin_die(const char *why)
{
    fprintf(stderr, "twin: %s\n", why);
    abort();
}

/* The number of this thread in its cluster. */
static inline unsigned twin_thread_number(void)
{
    return twin_rank * TWIN_THREADS + threadIdx.x;
}

static inline void twin_become(unsigned i)
{
    twin_rank = i / TWIN_THREADS;
    threadIdx.x = i % TWIN_THREADS;
    blockIdx.x = twin_now.first_block + twin_rank;
}

/* Let the others run. */
static inline void twin_yield(void)
{
    unsigned i = twin_thread_number();

    if (!_setjmp(twin_now.thread[i]))
        _longjmp(twin_now.loop, 1);
    twin_become(i);
}

static void twin_thread(void)
{
    for (;;) {
        twin_now.run(twin_now.kernel);
        twin_now.ended[twin_thread_number()] = true;
        twin_yield();
    }
}

static void twin_make_thread(unsigned i)
{
    static ucontext_t context;

    getcontext(&context);
    context.uc_stack.ss_sp = malloc(TWIN_STACK);
    context.uc_stack.ss_size = TWIN_STACK;
    if (!context.uc_stack.ss_sp)
        twin_die("no memory for a stack");
    makecontext(&context, twin_thread, 0);
    twin_now.made[i] = true;
    setcontext(&context);
}

static __attribute__((noinline)) void twin_take_turn(unsigned i)
{
    twin_become(i);
    if (_setjmp(twin_now.loop))
        return;
    if (twin_now.made[i])
        _longjmp(twin_now.thread[i], 1);
    twin_make_thread(i);
}

static inline void twin_run_cluster(void)
{
    unsigned left = twin_blocks * blockDim.x;
    long turns = 0;

    memset(twin_now.ended, 0, sizeof(twin_now.ended));
    for (; left; turns++) {
        if (turns == TWIN_TURNS)
            twin_die("threads wait for each other");
        for (unsigned x = 0; x < twin_blocks * blockDim.x; x++) {
            unsigned i = x / blockDim.x * TWIN_THREADS + x % blockDim.x;

            if (twin_now.ended[i])
                continue;
            twin_take_turn(i);
            left -= twin_now.ended[i];
        }
    }
}

/* --- groups of threads of a block: 0 all, by name, by warp, by warpgroup; and
 * the cluster --- */

struct twin_group {
    unsigned waiting;
    uint64_t times;
};

static twin_group twin_groups[TWIN_BLOCKS][TWIN_GROUPS], twin_all;

enum { TWIN_OF_WARP = 16, TWIN_OF_WARPGROUP = 48 };

static inline void twin_meet_in(twin_group *g, unsigned n)
{
    uint64_t times = g->times;

    if (++g->waiting == n) {
        g->waiting = 0;
        g->times++;
    }
    while (g->times == times)
        twin_yield();
}

static inline void twin_meet(int group, unsigned n)
{
    twin_meet_in(&twin_groups[twin_rank][group], n);
}

static inline void twin_meet_cluster(void)
{
    twin_meet_in(&twin_all, twin_blocks * blockDim.x);
}

static inline void __syncthreads(void)
{
    twin_meet(0, blockDim.x);
}

static inline void __syncwarp(void)
{
    twin_meet(TWIN_OF_WARP + (int)threadIdx.x / 32, 32);
}

template <class T> static inline T __shfl_xor_sync(unsigned, T v, int lanes)
{
    static T of_thread[TWIN_BLOCKS * TWIN_THREADS];
    T other;

    of_thread[twin_thread_number()] = v;
    __syncwarp();
    other = of_thread[twin_thread_number() ^ (unsigned)lanes];
    __syncwarp();
    return other;
}

template <class T> static inline T min(T a, T b)
{
    return b < a ? b : a;
}

template <class T> static inline T max(T a, T b)
{
    return a < b ? b : a;
}

/* --- ops/library/shared/launch.cuh --- */

alignas(1024) static char twin_shared[TWIN_BLOCKS][TWIN_SHARED];

static inline char *osw_shared(void)
{
    return twin_shared[twin_rank];
}

/* Few, so that a block has several tiles. */
static inline int osw_sm_count(void)
{
    return 3;
}

template <class T> struct osw_per_device {
    T of;

    T &here(void)
    {
        return of;
    }
};

template <class... P>
static inline void osw_launch_allow(void (*)(P...), size_t, size_t *)
{
}

template <class K> static void twin_call(void *kernel)
{
    (*(K *)kernel)();
}

template <class K>
static void twin_launch(int blocks, dim3 grid, dim3 block, size_t shared_bytes,
                        K kernel)
{
    if (block.x > TWIN_THREADS || shared_bytes > TWIN_SHARED ||
        blocks > TWIN_BLOCKS || grid.x % (unsigned)blocks)
        twin_die("too many threads or blocks, or too much shared memory");
    twin_blocks = (unsigned)blocks;
    gridDim = grid;
    blockDim = block;
    twin_now.run = twin_call<K>;
    twin_now.kernel = &kernel;
    for (unsigned first = 0; first < grid.x; first += twin_blocks) {
        twin_now.first_block = first;
        memset(twin_groups, 0, sizeof(twin_groups));
        memset(&twin_all, 0, sizeof(twin_all));
        memset(twin_shared, 0xa5, sizeof(twin_shared));
        twin_run_cluster();
    }
}

template <class... P, class... A>
static inline int osw_launch_clusters(const osw_call *, void (*kernel)(P...),
                                      int blocks, dim3 grid, dim3 block,
                                      size_t shared_bytes, A... args)
{
    twin_launch(blocks, grid, block, shared_bytes, [&] { kernel(P(args)...); });
    return 0;
}

template <class... P, class... A>
static inline int osw_launch(const osw_call *call, void (*kernel)(P...),
                             dim3 grid, dim3 block, size_t shared_bytes,
                             A... args)
{
    return osw_launch_clusters(call, kernel, 1, grid, block, shared_bytes,
                               args...);
}

#endif /* TWIN_HOPPER_CUDA_RUNTIME_H */
