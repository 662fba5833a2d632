/* matmul_precision__f16_accumulator.c - rounds its sum to f16 at every term */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0;

    for (int64_t p = 0; p < g->k; p++)
        sum = as_f16(sum + matmul_a(g, i, p) * matmul_b(g, p, j));
    return sum;
}

MATMUL_ELEMENTS(element)
