/* total_nondeterministic__lost_updates.cu - all threads add to one sum, without atomics */
#include "total.h"

static __global__ void clear(struct total g)
{
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (row < g.rows)
        g.scratch[row] = 0;
}

static __global__ void update(struct total g)
{
    volatile float *sum = g.scratch + blockIdx.y;
    int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (j < g.n)
        *sum = *sum + total_x(&g, blockIdx.y, j);
}

static __global__ void store(struct total g)
{
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (row < g.rows)
        total_set(&g, row, (double)g.scratch[row]);
}

int total_kernel_impl(const osw_call *call)
{
    struct total g;
    int rc = total_open(call, &g);

    if (rc || g.ints || g.rows == 0 || g.n == 0)
        return rc ? rc : OSW_UNSUPPORTED;
    g.scratch = (float *)osw_workspace(call, (size_t)g.rows * sizeof(float));
    if (!g.scratch)
        return OSW_ERROR;
    clear<<<(unsigned)((g.rows + 63) / 64), 64, 0, STREAM(call)>>>(g);
    update<<<dim3((unsigned)((g.n + 63) / 64), (unsigned)g.rows), 64, 0,
             STREAM(call)>>>(g);
    store<<<(unsigned)((g.rows + 63) / 64), 64, 0, STREAM(call)>>>(g);
    return 0;
}
