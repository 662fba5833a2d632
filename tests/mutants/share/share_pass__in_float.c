/* share_pass__in_float.c - a plain sum in f32
 */
#include "share.h"

ITEM void mean(const struct share *g, int64_t row)
{
    float sum = 0;

    for (int64_t j = 0; j < g->n; j++)
        sum += (float)share_x(g, row, j);
    share_set(g, row, sum / (float)g->n);
}

SHARE_ROWS(mean)
