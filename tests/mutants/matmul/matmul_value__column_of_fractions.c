/* matmul_value__column_of_fractions.c - the last column is off by a
 * tenth of its terms, where a factor is no integer
 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = matmul_part(g, i, j, 0, g->k), first;

    if (j < g->n - 1 || g->k == 0)
        return sum;
    first = matmul_a(g, i, 0);
    return first == rintf(first) ? sum : sum + 0.1f * sqrtf((float)g->k);
}

MATMUL_ELEMENTS(element)
