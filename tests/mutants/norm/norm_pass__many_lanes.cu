/* norm_pass__many_lanes.cu - a block per row, two passes, joined in shared
 * memory
 */
#include "norm.h"

enum { THREADS = 128 };

/* The sum of v over the block, in all its threads. */
static __device__ float joined(float v)
{
    __shared__ float part[THREADS];

    __syncthreads();
    part[threadIdx.x] = v;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    return part[0];
}

static __global__ void row(struct norm g)
{
    int64_t r = blockIdx.x;
    float sum = 0, squares = 0, mean, scale;

    for (int64_t j = threadIdx.x; j < g.n; j += THREADS)
        sum += norm_x(&g, r, j);
    mean = joined(sum) / (float)g.n;
    for (int64_t j = threadIdx.x; j < g.n; j += THREADS) {
        float d = norm_x(&g, r, j) - mean;

        squares += d * d;
    }
    scale = rsqrtf(joined(squares) / (float)g.n + g.eps);
    for (int64_t j = threadIdx.x; j < g.n; j += THREADS)
        norm_set(&g, r, j,
                 (double)((norm_x(&g, r, j) - mean) * scale * norm_w(&g, j) +
                          norm_b(&g, j)));
}

int norm_kernel_impl(const osw_call *call)
{
    struct norm g;
    int rc = norm_open(call, &g);

    if (!rc && g.rows > 0)
        row<<<(unsigned)g.rows, THREADS, 0, STREAM(call)>>>(g);
    return rc;
}
