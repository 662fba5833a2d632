/* matmul_pass__four_sums.c - four running sums, joined at the end */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum[4] = {0, 0, 0, 0};
    int64_t p;

    for (p = 0; p + 4 <= g->k; p += 4)
        for (int64_t q = 0; q < 4; q++)
            sum[q] += matmul_a(g, i, p + q) * matmul_b(g, p + q, j);
    for (; p < g->k; p++)
        sum[0] += matmul_a(g, i, p) * matmul_b(g, p, j);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

MATMUL_ELEMENTS(element)
