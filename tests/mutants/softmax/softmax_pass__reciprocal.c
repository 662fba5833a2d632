/* softmax_pass__reciprocal.c - multiplies by one over the sum */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = softmax_max(g, r), scale = 1.0f / softmax_sum(g, r, max);

    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(expf(softmax_x(g, r, j) - max) * scale));
}

SOFTMAX_ROWS(row)
