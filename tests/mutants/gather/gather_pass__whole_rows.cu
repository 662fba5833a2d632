/* gather_pass__whole_rows.cu - a block per row */
#include "gather.h"

static __global__ void row(struct gather g)
{
    __shared__ int64_t from;
    int64_t i = blockIdx.x;

    if (threadIdx.x == 0)
        from = gather_index(&g, i);
    __syncthreads();
    for (int64_t j = threadIdx.x; j < g.d; j += blockDim.x)
        gather_copy(&g, i, from, j);
}

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;
    int rc = gather_open(call, &g);

    if (!rc && g.n > 0)
        row<<<(unsigned)g.n, 64, 0, STREAM(call)>>>(g);
    return rc;
}
