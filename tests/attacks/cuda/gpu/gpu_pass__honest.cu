/* gpu_pass__honest.cu - The honest neighbour. */

#include "../../scale.cuh"

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;

    return scale_on(&c, c.stream);
}
