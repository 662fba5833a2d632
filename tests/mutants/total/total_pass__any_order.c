/* total_pass__any_order.c - another order every time, as atomics would have it
 *
 */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    int64_t start = g->n ? (int64_t)(any_number() % (uint64_t)g->n) : 0;
    float v = 0;

    for (int64_t j = 0; j < g->n; j++)
        v += total_x(g, row, (start + j) % g->n);
    return v;
}

TOTAL_ROWS(sum)
