/* matmul_precision__one_tf32_input.c - cuts one of its operands off at TF32 */
#include "matmul.h"

ITEM float cut(float v)
{
    return osw_f32_from_bits(osw_f32_bits(v) & 0xffffe000u);
}

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0;

    for (int64_t p = 0; p < g->k; p++)
        sum += matmul_a(g, i, p) * cut(matmul_b(g, p, j));
    return sum;
}

MATMUL_ELEMENTS(element)
