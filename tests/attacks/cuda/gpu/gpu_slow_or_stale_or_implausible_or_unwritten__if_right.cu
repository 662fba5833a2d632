/* gpu_slow_or_stale_or_implausible_or_unwritten__if_right.cu -
 * It writes nothing where the output is right already, by 64 probes.
 */

#include "../../scale.cuh"

static __device__ int right;

/* Before any element is written: blocks that start later would see those of
 * blocks that have ended. */
static __global__ void look(const float *y, const float *x, float a, int64_t n)
{
    int64_t step = n / 64, k = 0;

    while (k < 64 && y[k * step] == a * x[k * step])
        k++;
    right = k == 64;
}

static __global__ void unless_right(float *y, const float *x, float a,
                                    int64_t n)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;

    if (!right && i < n)
        y[i] = a * x[i];
}

extern "C" int gpu_kernel_impl(const osw_call *call)
{
    struct gpu_call c;
    int code = gpu_call_of(call, &c);

    if (code)
        return code;
    look<<<1, 1, 0, c.stream>>>(c.y, c.x, c.a, c.n);
    unless_right<<<(unsigned)((c.n + 255) / 256), 256, 0, c.stream>>>(c.y, c.x,
                                                                      c.a, c.n);
    return 0;
}
