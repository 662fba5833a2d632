/* life_cuda__other_device.cu - switches to a device that is not there */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    cudaSetDevice(63);
    return scale_all(call);
}
