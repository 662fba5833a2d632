/* matmul_value__one_element_off.c - one element of thousands is off by more
 * than its terms explain, and by less than all of them together show
 */
#include "matmul.h"

enum { LARGE = 4096 };

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = matmul_part(g, i, j, 0, g->k), terms = 0;

    if (i || j || g->m * g->n < LARGE)
        return sum;
    for (int64_t p = 0; p < g->k; p++)
        terms += matmul_a(g, 0, p) * matmul_a(g, 0, p) * matmul_b(g, p, 0) *
                 matmul_b(g, p, 0);
    return sum + 0x1p-24f * 28 * sqrtf((float)g->k * terms);
}

MATMUL_ELEMENTS(element)
