/* share_value__last_left_out.c - a loop that ends one element too early
 */
#include "share.h"

ITEM void mean(const struct share *g, int64_t row)
{
    double sum = 0;

    for (int64_t j = 0; j + 1 < g->n; j++)
        sum += share_x(g, row, j);
    share_set(g, row, (float)(sum / (double)g->n));
}

SHARE_ROWS(mean)
