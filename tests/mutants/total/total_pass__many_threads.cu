/* total_pass__many_threads.cu - a block per row, joined by shuffles */
#include "total.h"

static __global__ void row(struct total g)
{
    __shared__ float warp[32];
    int64_t r = blockIdx.x;
    float v = 0;

    if (g.ints) {
        if (threadIdx.x == 0)
            total_set_int(&g, r, total_of_ints(&g, r));
        return;
    }
    for (int64_t j = threadIdx.x; j < g.n; j += blockDim.x)
        v += total_x(&g, r, j);
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffffu, v, step);
    if (threadIdx.x % 32 == 0)
        warp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    v = threadIdx.x < blockDim.x / 32 ? warp[threadIdx.x] : 0.0f;
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffffu, v, step);
    if (threadIdx.x == 0)
        total_set(&g, r, (double)v);
}

int total_kernel_impl(const osw_call *call)
{
    struct total g;
    int rc = total_open(call, &g);

    if (!rc && g.rows > 0)
        row<<<(unsigned)g.rows, 256, 0, STREAM(call)>>>(g);
    return rc;
}
