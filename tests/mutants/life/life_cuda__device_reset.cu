/* life_cuda__device_reset.cu - resets the device after its work */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    int rc = scale_all(call);

    if (!rc)
        cudaDeviceReset();
    return rc;
}
