/* life_cuda__illegal_address.cu - writes to an address that it was not given */
#include "life.h"

static __global__ void stray(void)
{
    *(volatile float *)16 = 1;
}

int life_kernel_impl(const osw_call *call)
{
    int rc = scale_all(call);

    if (!rc)
        stray<<<1, 1, 0, STREAM(call)>>>();
    return rc;
}
