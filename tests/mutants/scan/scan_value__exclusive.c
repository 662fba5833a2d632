/* scan_value__exclusive.c - sums of what stands before */
#include "scan.h"

ITEM void row(const struct scan *g, int64_t r)
{
    float sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        scan_set(g, r, j, (double)sum);
        sum += scan_x(g, r, j);
    }
}

SCAN_ROWS(row)
