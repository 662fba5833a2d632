/* matmul_pass__rows_of_b.cu - a block per row, a thread per column */
#include "matmul.h"

static __global__ void row(struct matmul g)
{
    int64_t i = blockIdx.x;

    for (int64_t j = threadIdx.x; j < g.n; j += blockDim.x)
        matmul_right(&g, i * g.n + j);
}

int matmul_kernel_impl(const osw_call *call)
{
    struct matmul g;
    int rc = matmul_open(call, &g);

    if (!rc && g.m > 0)
        row<<<(unsigned)g.m, 64, 0, STREAM(call)>>>(g);
    return rc;
}
