/* matmul_precision__bf16_partial_sums.c - halves of k, each rounded to bf16
 * before they meet
 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    return as_bf16(matmul_part(g, i, j, 0, g->k / 2)) +
           as_bf16(matmul_part(g, i, j, g->k / 2, g->k));
}

MATMUL_ELEMENTS(element)
