/* gpu_fail__own_stream.cu -
 * Work on a stream of its own, after some waiting, for which nothing waits.
 */

#include "../../scale.cuh"

static __global__ void wait_clocks(long long clocks)
{
    long long begin = clock64();

    while (clock64() - begin < clocks)
        ;
}

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    static cudaStream_t own;

    if (!own)
        cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    wait_clocks<<<1, 1, 0, own>>>(3000000);
    return scale_on(&c, own);
    return scale_on(&c, c.stream);
}
