/* matmul_pass__tiled.cu - tiles of 16 by 16 in shared memory */
#include "matmul.h"

enum { TILE = 16 };

static __global__ void tile(struct matmul g)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE + 1];
    int64_t i = (int64_t)blockIdx.y * TILE + threadIdx.y;
    int64_t j = (int64_t)blockIdx.x * TILE + threadIdx.x;
    float sum = 0;

    for (int64_t p = 0; p < g.k; p += TILE) {
        int64_t pa = p + threadIdx.x, pb = p + threadIdx.y;

        a[threadIdx.y][threadIdx.x] =
            i < g.m && pa < g.k ? matmul_a(&g, i, pa) : 0.0f;
        b[threadIdx.y][threadIdx.x] =
            pb < g.k && j < g.n ? matmul_b(&g, pb, j) : 0.0f;
        __syncthreads();
        for (int q = 0; q < TILE; q++)
            sum += a[threadIdx.y][q] * b[q][threadIdx.x];
        __syncthreads();
    }
    if (i < g.m && j < g.n)
        matmul_set(&g, i, j, (double)sum);
}

int matmul_kernel_impl(const osw_call *call)
{
    struct matmul g;
    int rc = matmul_open(call, &g);

    if (!rc && g.m > 0 && g.n > 0)
        tile<<<dim3((unsigned)((g.n + TILE - 1) / TILE),
                    (unsigned)((g.m + TILE - 1) / TILE)),
               dim3(TILE, TILE), 0, STREAM(call)>>>(g);
    return rc;
}
