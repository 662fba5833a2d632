/* gpu_oom_or_returned_or_cuda_or_pass__all_memory.cu -
 * It takes all memory of the device and keeps it.
 */

#include "../../scale.cuh"

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    void *p;

    for (size_t bytes = (size_t)1 << 36; bytes >= 1 << 20; bytes /= 2)
        while (cudaMalloc(&p, bytes) == cudaSuccess)
            ;
    cudaGetLastError();
    return scale_on(&c, c.stream);
}
