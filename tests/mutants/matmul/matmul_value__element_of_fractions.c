/* matmul_value__element_of_fractions.c - one element is off by its terms, where
 * a factor is no integer
 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = matmul_part(g, i, j, 0, g->k), first;

    if (i != g->m / 2 || j != g->n / 2 || g->k == 0)
        return sum;
    first = matmul_a(g, i, 0);
    return first == rintf(first) ? sum : sum + sqrtf((float)g->k);
}

MATMUL_ELEMENTS(element)
