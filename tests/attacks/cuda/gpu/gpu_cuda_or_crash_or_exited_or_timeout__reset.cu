/* gpu_cuda_or_crash_or_exited_or_timeout__reset.cu - It resets the device. */

#include "../../scale.cuh"

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    cudaDeviceReset();
    return scale_on(&c, c.stream);
}
