/* total_precision__f16_terms.c - rounds every term to f16 before it joins */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float v = 0;

    for (int64_t j = 0; j < g->n; j++)
        v += as_f16(total_x(g, row, j));
    return v;
}

TOTAL_ROWS(sum)
