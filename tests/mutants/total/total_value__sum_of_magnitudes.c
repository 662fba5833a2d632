/* total_value__sum_of_magnitudes.c - adds absolute values */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float v = 0;

    for (int64_t j = 0; j < g->n; j++)
        v += fabsf(total_x(g, row, j));
    return v;
}

TOTAL_ROWS(sum)
