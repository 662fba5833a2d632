/* matmul_pass__by_element.c - one sum after the other, in f32 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    return matmul_part(g, i, j, 0, g->k);
}

MATMUL_ELEMENTS(element)
