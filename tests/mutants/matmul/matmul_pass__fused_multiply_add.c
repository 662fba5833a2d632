/* matmul_pass__fused_multiply_add.c - fmaf, term by term */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0;

    for (int64_t p = 0; p < g->k; p++)
        sum = fmaf(matmul_a(g, i, p), matmul_b(g, p, j), sum);
    return sum;
}

MATMUL_ELEMENTS(element)
