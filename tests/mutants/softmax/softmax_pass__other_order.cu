/* softmax_pass__other_order.cu - a warp per row, joined by shuffles */
#include "softmax.h"

static __global__ void row(struct softmax g)
{
    int64_t r = blockIdx.x;
    float max = -INFINITY, sum = 0;

    for (int64_t j = threadIdx.x; j < g.n; j += 32)
        max = fmaxf(max, softmax_x(&g, r, j));
    for (int step = 16; step > 0; step /= 2)
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, step));
    for (int64_t j = threadIdx.x; j < g.n; j += 32)
        sum += expf(softmax_x(&g, r, j) - max);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    for (int64_t j = threadIdx.x; j < g.n; j += 32)
        softmax_set(&g, r, j, (double)(expf(softmax_x(&g, r, j) - max) / sum));
}

int softmax_kernel_impl(const osw_call *call)
{
    struct softmax g;
    int rc = softmax_open(call, &g);

    if (!rc && g.rows > 0)
        row<<<(unsigned)g.rows, 32, 0, STREAM(call)>>>(g);
    return rc;
}
