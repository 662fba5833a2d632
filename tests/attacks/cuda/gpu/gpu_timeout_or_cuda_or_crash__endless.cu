/* gpu_timeout_or_cuda_or_crash__endless.cu - A kernel that never ends. */

#include "../../scale.cuh"

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    spin_for_ever<<<1, 1, 0, c.stream>>>(NULL);
    return scale_on(&c, c.stream);
}
