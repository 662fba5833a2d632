/* scan_pass__kahan.c - a compensated running sum */
#include "scan.h"

ITEM void row(const struct scan *g, int64_t r)
{
    float sum = 0, lost = 0;

    for (int64_t j = 0; j < g->n; j++) {
        float term = scan_x(g, r, j) - lost, next = sum + term;

        lost = (next - sum) - term;
        sum = next;
        scan_set(g, r, j, (double)sum);
    }
}

SCAN_ROWS(row)
