/* life_timeout__endless_kernel.cu - a kernel that never ends */
#include "life.h"

static __global__ void endless(struct scale g)
{
    volatile float *y = g.y;

    while (y[0] != 1.25f || y[0] == y[0])
        y[1] += 1.0f;
}

int life_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc)
        endless<<<1, 1, 0, STREAM(call)>>>(g);
    return rc;
}
