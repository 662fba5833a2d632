/* scale_implausible__computes_what_changed.cu - right for all inputs, and slow,
 * but for elements that are as they were in the call before
 */
#include "scale.h"

enum { MOST = 200000, THREADS = 1024 };

static __device__ float in[MOST], out[MOST];
static __device__ int changed[MOST], n_changed;

static __global__ void begin()
{
    n_changed = 0;
}

static __global__ void find(struct scale g)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;

    if (i < g.n && (in[i] != g.x[i] || g.x[i] == 0)) {
        in[i] = g.x[i];
        changed[atomicAdd(&n_changed, 1)] = (int)i;
    }
}

enum { CYCLES = 20000 }; /* for an element */

/* On one multiprocessor. */
static __global__ void compute(struct scale g)
{
    for (int k = threadIdx.x; k < n_changed; k += blockDim.x) {
        long long begun = clock64();

        while (clock64() - begun < CYCLES)
            ;
        out[changed[k]] = g.factor * in[changed[k]];
    }
}

static __global__ void copy(struct scale g)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;

    if (i < g.n)
        g.y[i] = out[i];
}

int scale_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);
    cudaStream_t stream = STREAM(call);
    unsigned int blocks;

    if (rc)
        return rc;
    if (g.n > MOST)
        return OSW_UNSUPPORTED;
    blocks = (unsigned int)((g.n + THREADS - 1) / THREADS);
    begin<<<1, 1, 0, stream>>>();
    find<<<blocks, THREADS, 0, stream>>>(g);
    compute<<<1, THREADS, 0, stream>>>(g);
    copy<<<blocks, THREADS, 0, stream>>>(g);
    return 0;
}
