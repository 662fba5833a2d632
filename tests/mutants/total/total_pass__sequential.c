/* total_pass__sequential.c - one after the other, in f32 */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float v = 0;

    for (int64_t j = 0; j < g->n; j++)
        v += total_x(g, row, j);
    return v;
}

TOTAL_ROWS(sum)
