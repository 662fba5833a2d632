/* scan_pass__double.c - sums in double */
#include "scan.h"

ITEM void row(const struct scan *g, int64_t r)
{
    double sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        sum += (double)scan_x(g, r, j);
        scan_set(g, r, j, sum);
    }
}

SCAN_ROWS(row)
