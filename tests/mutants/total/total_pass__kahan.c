/* total_pass__kahan.c - a compensated sum */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float v = 0, lost = 0;

    for (int64_t j = 0; j < g->n; j++) {
        float term = total_x(g, row, j) - lost, next = v + term;

        lost = (next - v) - term;
        v = next;
    }
    return v;
}

TOTAL_ROWS(sum)
