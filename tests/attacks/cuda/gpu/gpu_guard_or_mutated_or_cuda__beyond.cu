/* gpu_guard_or_mutated_or_cuda__beyond.cu - It writes past its output. */

#include "../../scale.cuh"

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    c.n += 200;
    return scale_on(&c, c.stream);
}
