/* gpu_slow_or_stale_or_implausible_or_unwritten__if_right.cu -
 * It writes nothing where the output is right already, by 64 probes.
 */

#include "../../scale.cuh"

static __global__ void unless_right(float *y, const float *x, float a,
                                    int64_t n)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t step = n / 64, k = 0;

    while (k < 64 && y[k * step] == a * x[k * step])
        k++;
    if (k < 64 && i < n)
        y[i] = a * x[i];
}

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    unless_right<<<(unsigned)((c.n + 255) / 256), 256, 0, c.stream>>>(c.y, c.x,
                                                                      c.a, c.n);
    return 0;
    return scale_on(&c, c.stream);
}
