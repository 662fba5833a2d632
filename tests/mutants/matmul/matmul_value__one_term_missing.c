/* matmul_value__one_term_missing.c - one product of one element is missing */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = matmul_part(g, i, j, 0, g->k);

    if (i == g->m / 2 && j == g->n / 2)
        sum -= matmul_a(g, i, g->k / 2) * matmul_b(g, g->k / 2, j);
    return sum;
}

MATMUL_ELEMENTS(element)
