/* softmax_value__last_not_in_sum.c - the sum lacks its last term */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = softmax_max(g, r), sum = softmax_sum(g, r, max);

    sum -= expf(softmax_x(g, r, g->n - 1) - max);
    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(expf(softmax_x(g, r, j) - max) / sum));
}

SOFTMAX_ROWS(row)
