/* total_value__first_skipped.c - an index from one */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float v = 0;

    for (int64_t j = 1; j < g->n; j++)
        v += total_x(g, row, j);
    return v;
}

TOTAL_ROWS(sum)
