/* total_precision__f16_lanes.c - 32 lanes, their sums kept in f16 */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float v = 0;

    for (int64_t lane = 0; lane < 32; lane++) {
        float part = 0;

        for (int64_t j = lane; j < g->n; j += 32)
            part += total_x(g, row, j);
        v += as_f16(part);
    }
    return v;
}

TOTAL_ROWS(sum)
