/* scan_precision__tf32_terms.c - rounds every term to TF32 before it joins */
#include "scan.h"

ITEM void row(const struct scan *g, int64_t r)
{
    float sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        sum += as_tf32(scan_x(g, r, j));
        scan_set(g, r, j, (double)sum);
    }
}

SCAN_ROWS(row)
