/* total_pass__double.c - sums in double, rounds once */
#include "total.h"

ITEM double sum(const struct total *g, int64_t row)
{
    double v = 0;

    for (int64_t j = 0; j < g->n; j++)
        v += (double)total_x(g, row, j);
    return v;
}

TOTAL_ROWS(sum)
