/* life_cuda__device_assert.cu - an assertion that fails on the device */
#include <assert.h>

#include "life.h"

static __global__ void check(struct scale g)
{
    assert(g.n < 0);
}

int life_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc)
        check<<<1, 1, 0, STREAM(call)>>>(g);
    return rc;
}
