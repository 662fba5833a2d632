/* matmul_precision__18_bit_inputs.c - rounds its inputs at 18 bits after the
 * point: no element is far off, all of them together are
 */
#include "matmul.h"

ITEM float at_18_bits(float v)
{
    uint32_t u = osw_f32_bits(v);

    return osw_f32_from_bits((u + 0xfu + ((u >> 5) & 1u)) & 0xffffffe0u);
}

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0;

    for (int64_t p = 0; p < g->k; p++)
        sum += at_18_bits(matmul_a(g, i, p)) * at_18_bits(matmul_b(g, p, j));
    return sum;
}

MATMUL_ELEMENTS(element)
