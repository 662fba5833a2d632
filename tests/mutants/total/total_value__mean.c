/* total_value__mean.c - the mean */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float v = 0;

    for (int64_t j = 0; j < g->n; j++)
        v += total_x(g, row, j);
    return v / (float)g->n;
}

TOTAL_ROWS(sum)
