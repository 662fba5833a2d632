/* matmul_value__stride_ignored.c - reads a as if it lay without gaps */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0;

    for (int64_t p = 0; p < g->k; p++)
        sum += (float)osw_load(g->a.dtype, view_at(&g->a, i * g->k + p)) *
               matmul_b(g, p, j);
    return sum;
}

MATMUL_ELEMENTS(element)
