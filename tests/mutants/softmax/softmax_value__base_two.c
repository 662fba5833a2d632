/* softmax_value__base_two.c - powers of two instead of e */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = softmax_max(g, r), sum = 0;

    for (int64_t j = 0; j < g->n; j++)
        sum += exp2f(softmax_x(g, r, j) - max);
    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(exp2f(softmax_x(g, r, j) - max) / sum));
}

SOFTMAX_ROWS(row)
