/* tests/twin/cuda/cuda_runtime.h - CUDA kernels on a processor, for tests
 *
 * It stands for CUDA's own header and for ops/library/shared/launch.cuh, so
 * that g++ compiles <op>_plain.cu.  A launch runs the blocks one after the
 * other.  The threads of a block are contexts that take turns: each runs until
 * it waits in __syncthreads() or ends.  Blocks are small here (TWIN_THREADS,
 * unless the compiler's command says another), so a kernel has to work for any
 * number of threads that is a power of two.
 *
 * What it cannot show: races, memory errors, speed, and the GPU's own rounding
 * in math functions.
 */
#ifndef TWIN_CUDA_RUNTIME_H
#define TWIN_CUDA_RUNTIME_H

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
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

#ifndef TWIN_THREADS
#define TWIN_THREADS 8
#endif

enum { TWIN_STACK = 64 * 1024 };

typedef void *cudaStream_t;

struct dim3 {
    unsigned x, y, z;

    dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1)
        : x(nx), y(ny), z(nz)
    {
    }
};

static dim3 gridDim, blockDim, blockIdx, threadIdx;

/* The threads of one block, and the loop that gives each its turn.  A context
 * is made once; it then waits for the next block to run.
 */
struct twin_block {
    jmp_buf loop, thread[TWIN_THREADS];
    bool made[TWIN_THREADS], ended[TWIN_THREADS];
    void (*run)(void *);
    void *kernel;
};

static twin_block twin_now;

/* Back to the loop, until it is this thread's turn again. */
static inline void __syncthreads(void)
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
        __syncthreads();
    }
}

static inline int min(int a, int b)
{
    return a < b ? a : b;
}

static inline void __trap(void)
{
    abort();
}

/* Threads take turns, so that nothing else happens between. */
template <class T> static inline T atomicAdd(T *p, T v)
{
    T old = *p;

    *p = T(old + v);
    return old;
}

template <class T> static inline T atomicCAS(T *p, T seen, T v)
{
    T old = *p;

    *p = old == seen ? v : old;
    return old;
}

template <class T> static inline T atomicMax(T *p, T v)
{
    T old = *p;

    *p = v > old ? v : old;
    return old;
}

static void twin_make_thread(unsigned i)
{
    static ucontext_t context;

    getcontext(&context);
    context.uc_stack.ss_sp = malloc(TWIN_STACK);
    context.uc_stack.ss_size = TWIN_STACK;
    if (!context.uc_stack.ss_sp)
        abort();
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

    for (unsigned i = 0; i < blockDim.x; i++)
        twin_now.ended[i] = false;
    while (left)
        for (unsigned i = 0; i < blockDim.x; i++) {
            if (twin_now.ended[i])
                continue;
            twin_take_turn(i);
            left -= twin_now.ended[i];
        }
}

template <class K> static void twin_call(void *kernel)
{
    (*(K *)kernel)();
}

template <class K> static void twin_launch(dim3 grid, dim3 block, K kernel)
{
    gridDim = grid;
    blockDim.x = block.x < TWIN_THREADS ? block.x : TWIN_THREADS;
    twin_now.run = twin_call<K>;
    twin_now.kernel = &kernel;
    for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
        twin_run_block();
}

/* --- ops/library/shared/launch.cuh --- */

static inline int osw_sm_count(void)
{
    return 1;
}

template <class... P, class... A>
static inline int osw_launch(const osw_call *, void (*kernel)(P...), dim3 grid,
                             dim3 block, size_t, A... args)
{
    twin_launch(grid, block, [&] { kernel(P(args)...); });
    return 0;
}

#endif /* TWIN_CUDA_RUNTIME_H */
