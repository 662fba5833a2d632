/* matmul_value__tail_of_k_dropped.c - takes k in steps of eight, and forgets
 * the rest
 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    return matmul_part(g, i, j, 0, g->k < 8 ? g->k : g->k / 8 * 8);
}

MATMUL_ELEMENTS(element)
