/* scan_value__rows_not_parted.c - goes on from row to row */
#include "scan.h"

ITEM void row(const struct scan *g, int64_t r)
{
    float sum = 0;

    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < g->n; j++)
            sum += scan_x(g, i, j);
    for (int64_t j = 0; j < g->n; j++) {
        sum += scan_x(g, r, j);
        scan_set(g, r, j, (double)sum);
    }
}

SCAN_ROWS(row)
