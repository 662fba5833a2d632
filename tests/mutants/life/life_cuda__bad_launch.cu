/* life_cuda__bad_launch.cu - 4096 threads a block, and does not look */
#include "life.h"

static __global__ void one(struct scale g)
{
    if (threadIdx.x < g.n)
        scale_right(&g, threadIdx.x);
}

int life_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc)
        one<<<1, 4096, 0, STREAM(call)>>>(g);
    return rc;
}
