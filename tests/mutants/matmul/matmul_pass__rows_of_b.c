/* matmul_pass__rows_of_b.c - i, k, j: whole rows of b at a time */
#include <stdlib.h>

#include "matmul.h"

int matmul_kernel_impl(const osw_call *call)
{
    struct matmul g;
    int rc = matmul_open(call, &g);
    float *sum = rc ? NULL : calloc((size_t)g.n + 1, sizeof(*sum));

    if (!sum)
        return rc ? rc : OSW_ERROR;
    for (int64_t i = 0; i < g.m; i++) {
        memset(sum, 0, (size_t)g.n * sizeof(*sum));
        for (int64_t p = 0; p < g.k; p++)
            for (int64_t j = 0; j < g.n; j++)
                sum[j] += matmul_a(&g, i, p) * matmul_b(&g, p, j);
        for (int64_t j = 0; j < g.n; j++)
            matmul_set(&g, i, j, (double)sum[j]);
    }
    free(sum);
    return 0;
}
