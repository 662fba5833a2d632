/* matmul_value__bf16_output_cut_off.c - cuts bf16 results off instead of
 * rounding them
 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = matmul_part(g, i, j, 0, g->k);

    if (g->c.dtype.code != OSW_BFLOAT)
        return sum;
    return osw_f32_from_bits(osw_f32_bits(sum) & 0xffff0000u);
}

MATMUL_ELEMENTS(element)
