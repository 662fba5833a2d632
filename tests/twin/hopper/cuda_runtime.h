/* tests/twin/hopper/cuda_runtime.h - CUDA kernels of whole warps on a
 * processor, for tests
 *
 * It stands for CUDA's own header and for ops/library/shared/launch.cuh.  A
 * launch runs the blocks one after the other.  The threads of a block are
 * contexts that take turns: each runs until it waits for others, or ends.
 * Shared memory is filled with a pattern before each block.
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

#include <opsweep/op.h>

enum {
    TWIN_THREADS = 512,
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

static dim3 gridDim, blockDim, blockIdx, threadIdx;

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

struct twin_block {
    jmp_buf loop, thread[TWIN_THREADS];
    bool made[TWIN_THREADS], ended[TWIN_THREADS];
    void (*run)(void *);
    void *kernel;
};

static twin_block twin_now;

static void twin_die(const char *why)
{
    fprintf(stderr, "twin: %s\n", why);
    abort();
}

/* Let the others run. */
static inline void twin_yield(void)
{
    unsigned i = threadIdx.x;

    if (!_setjmp(twin_now.thread[i]))
        _longjmp(twin_now.loop, 1);
    threadIdx.x = i;
}

static void twin_thread(void)
{
    for (;;) {
        twin_now.run(twin_now.kernel);
        twin_now.ended[threadIdx.x] = true;
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
    threadIdx.x = i;
    if (_setjmp(twin_now.loop))
        return;
    if (twin_now.made[i])
        _longjmp(twin_now.thread[i], 1);
    twin_make_thread(i);
}

static inline void twin_run_block(void)
{
    unsigned left = blockDim.x;
    long turns = 0;

    memset(twin_now.ended, 0, sizeof(twin_now.ended));
    for (; left; turns++) {
        if (turns == TWIN_TURNS)
            twin_die("threads wait for each other");
        for (unsigned i = 0; i < blockDim.x; i++) {
            if (twin_now.ended[i])
                continue;
            twin_take_turn(i);
            left -= twin_now.ended[i];
        }
    }
}

/* --- groups of threads: 0 the block, by name, by warp, by warpgroup --- */

struct twin_group {
    unsigned waiting;
    uint64_t times;
};

static twin_group twin_groups[TWIN_GROUPS];

enum { TWIN_OF_WARP = 16, TWIN_OF_WARPGROUP = 48 };

static inline void twin_meet(int group, unsigned n)
{
    twin_group *g = &twin_groups[group];
    uint64_t times = g->times;

    if (++g->waiting == n) {
        g->waiting = 0;
        g->times++;
    }
    while (g->times == times)
        twin_yield();
}

static inline void __syncthreads(void)
{
    twin_meet(0, blockDim.x);
}

static inline void __syncwarp(void)
{
    twin_meet(TWIN_OF_WARP + (int)threadIdx.x / 32, 32);
}

static inline float __shfl_xor_sync(unsigned, float v, int lanes)
{
    static float of_thread[TWIN_THREADS];
    float other;

    of_thread[threadIdx.x] = v;
    __syncwarp();
    other = of_thread[threadIdx.x ^ (unsigned)lanes];
    __syncwarp();
    return other;
}

/* --- ops/library/shared/launch.cuh --- */

alignas(1024) static char twin_shared[TWIN_SHARED];

static inline char *osw_shared(void)
{
    return twin_shared;
}

/* Few, so that a block has several tiles. */
static inline int osw_sm_count(void)
{
    return 3;
}

template <class K> static void twin_call(void *kernel)
{
    (*(K *)kernel)();
}

template <class K>
static void twin_launch(dim3 grid, dim3 block, size_t shared_bytes, K kernel)
{
    if (block.x > TWIN_THREADS || shared_bytes > TWIN_SHARED)
        twin_die("too many threads, or too much shared memory");
    gridDim = grid;
    blockDim = block;
    twin_now.run = twin_call<K>;
    twin_now.kernel = &kernel;
    for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++) {
        memset(twin_groups, 0, sizeof(twin_groups));
        memset(twin_shared, 0xa5, sizeof(twin_shared));
        twin_run_block();
    }
}

template <class... P, class... A>
static inline int osw_launch(const osw_call *, void (*kernel)(P...), dim3 grid,
                             dim3 block, size_t shared_bytes, A... args)
{
    twin_launch(grid, block, shared_bytes, [&] { kernel(P(args)...); });
    return 0;
}

#endif /* TWIN_HOPPER_CUDA_RUNTIME_H */
