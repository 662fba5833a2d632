/* gpu_cuda_or_crash_or_returned_or_guard_or_pass_or_mutated__freed.cu -
 * It frees the memory of its output.
 */

#include "../../scale.cuh"

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    cudaFree(c.y);
    return scale_on(&c, c.stream);
}
