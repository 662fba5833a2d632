/* life_cuda__far_past.cu - writes a terabyte past its output */
#include "life.h"

static __global__ void far_past(struct scale g)
{
    ((volatile float *)g.y)[(int64_t)1 << 38] = 0;
}

int life_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc)
        far_past<<<1, 1, 0, STREAM(call)>>>(g);
    return rc;
}
