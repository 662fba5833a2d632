/* scan_pass__sequential.c - one after the other, in f32 */
#include "scan.h"

ITEM void row(const struct scan *g, int64_t r)
{
    float sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        sum += scan_x(g, r, j);
        scan_set(g, r, j, (double)sum);
    }
}

SCAN_ROWS(row)
