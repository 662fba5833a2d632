/* life_cuda__misaligned_address.cu - 16 bytes at an address that 4 divide */
#include "life.h"

static __global__ void vectors(struct scale g)
{
    *(volatile float *)(g.y + 1) = 0;
    *(float4 *)(g.y + 1) = make_float4(0, 0, 0, 0);
}

int life_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc)
        vectors<<<1, 1, 0, STREAM(call)>>>(g);
    return rc;
}
