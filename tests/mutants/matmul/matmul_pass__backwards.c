/* matmul_pass__backwards.c - from the last k to the first */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0;

    for (int64_t p = g->k - 1; p >= 0; p--)
        sum += matmul_a(g, i, p) * matmul_b(g, p, j);
    return sum;
}

MATMUL_ELEMENTS(element)
