/* softmax_pass__other_order.c - maximum and sum from the end */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = softmax_max(g, r), sum = 0;

    for (int64_t j = g->n - 1; j >= 0; j--)
        sum += expf(softmax_x(g, r, j) - max);
    for (int64_t j = g->n - 1; j >= 0; j--)
        softmax_set(g, r, j, (double)(expf(softmax_x(g, r, j) - max) / sum));
}

SOFTMAX_ROWS(row)
