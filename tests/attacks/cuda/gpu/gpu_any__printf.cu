/* gpu_any__printf.cu - A kernel prints without end. */

#include "../../scale.cuh"

#include <stdio.h>

static __global__ void print_much(void)
{
    for (int i = 0; i < 1000; i++)
        printf("%d of thread %d\n", i, (int)threadIdx.x);
}

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    print_much<<<8, 256, 0, c.stream>>>();
    return scale_on(&c, c.stream);
}
