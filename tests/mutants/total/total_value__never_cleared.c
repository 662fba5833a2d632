/* total_value__never_cleared.c - adds to what it kept of the call before */
#include "total.h"

enum { KEPT = 4096 };

GLOBAL float kept[KEPT];

ITEM float sum(const struct total *g, int64_t row)
{
    for (int64_t j = 0; j < g->n; j++)
        kept[row % KEPT] += total_x(g, row, j);
    return kept[row % KEPT];
}

TOTAL_ROWS(sum)
