/* gpu_cuda_or_crash__trap.cu - A kernel traps. */

#include "../../scale.cuh"

static __global__ void trap_here(void)
{
    asm("trap;");
}

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    trap_here<<<1, 1, 0, c.stream>>>();
    return scale_on(&c, c.stream);
}
