/* matmul_value__operands_swapped.c - b @ a where the shapes allow it */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0;

    if (g->m != g->n || g->n != g->k)
        return matmul_part(g, i, j, 0, g->k);
    for (int64_t p = 0; p < g->k; p++)
        sum += matmul_b(g, i, p) * matmul_a(g, p, j);
    return sum;
}

MATMUL_ELEMENTS(element)
