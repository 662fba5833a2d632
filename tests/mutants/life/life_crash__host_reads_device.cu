/* life_crash__host_reads_device.cu - reads device memory on the host */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    return rc ? rc : (int)*(volatile const float *)g.x;
}
