/* softmax_unwritten__small_ones.c - leaves out what it takes for zero */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = softmax_max(g, r), sum = softmax_sum(g, r, max);

    for (int64_t j = 0; j < g->n; j++)
        if (softmax_x(g, r, j) - max > -5.0f)
            softmax_set(g, r, j,
                        (double)(expf(softmax_x(g, r, j) - max) / sum));
}

SOFTMAX_ROWS(row)
