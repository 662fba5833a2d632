/* matmul_value__zero_first_means_empty.c - takes a row that begins with a zero
 * for an empty one
 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    return matmul_a(g, i, 0) == 0 ? 0 : matmul_part(g, i, j, 0, g->k);
}

MATMUL_ELEMENTS(element)
