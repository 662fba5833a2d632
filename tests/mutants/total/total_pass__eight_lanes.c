/* total_pass__eight_lanes.c - eight running sums, joined as a tree */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};

    for (int64_t j = 0; j < g->n; j++)
        lane[j % 8] += total_x(g, row, j);
    for (int step = 4; step > 0; step /= 2)
        for (int q = 0; q < step; q++)
            lane[q] += lane[q + step];
    return lane[0];
}

TOTAL_ROWS(sum)
