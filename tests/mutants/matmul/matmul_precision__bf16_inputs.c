/* matmul_precision__bf16_inputs.c - multiplies what bf16 holds of f32 inputs */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0;

    for (int64_t p = 0; p < g->k; p++)
        sum += as_bf16(matmul_a(g, i, p)) * as_bf16(matmul_b(g, p, j));
    return sum;
}

MATMUL_ELEMENTS(element)
