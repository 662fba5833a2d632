/* matmul_precision__bf16_accumulator.c - rounds its sum to bf16 every sixteen
 * terms
 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0;

    for (int64_t p = 0; p < g->k; p += 16)
        sum = as_bf16(sum +
                      matmul_part(g, i, j, p, p + 16 < g->k ? p + 16 : g->k));
    return sum;
}

MATMUL_ELEMENTS(element)
