/* matmul_value__last_k_dropped.c - sums one product too few */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    return matmul_part(g, i, j, 0, g->k - 1);
}

MATMUL_ELEMENTS(element)
