/* life_cuda__too_much_shared_memory.cu - a megabyte of shared memory, and does
 * not look
 */
#include "life.h"

static __global__ void one(struct scale g)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < g.n)
        scale_right(&g, i);
}

int life_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc)
        one<<<(unsigned)((g.n + 127) / 128), 128, 1 << 20, STREAM(call)>>>(g);
    return rc;
}
