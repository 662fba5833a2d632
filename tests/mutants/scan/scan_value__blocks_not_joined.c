/* scan_value__blocks_not_joined.c - starts again every 128 elements */
#include "scan.h"

ITEM void row(const struct scan *g, int64_t r)
{
    float sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        sum = j % 128 ? sum + scan_x(g, r, j) : scan_x(g, r, j);
        scan_set(g, r, j, (double)sum);
    }
}

SCAN_ROWS(row)
