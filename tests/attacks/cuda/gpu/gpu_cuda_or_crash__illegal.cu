/* gpu_cuda_or_crash__illegal.cu - It writes to address 8. */

#include "../../scale.cuh"

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    cudaMemsetAsync((void *)8, 1, 4, c.stream);
    scale_elements<<<1, 32, 0, c.stream>>>((float *)8, c.x, 1.0F, 32);
    return scale_on(&c, c.stream);
}
