/* total_pass__strided_passes.c - every third element first, then the next third
 *
 */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float v = 0;

    for (int64_t first = 0; first < 3; first++)
        for (int64_t j = first; j < g->n; j += 3)
            v += total_x(g, row, j);
    return v;
}

TOTAL_ROWS(sum)
