/* softmax_value__max_of_first_block.c - the maximum of 32 elements,
 * exponentials capped at one
 */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = -INFINITY, sum = 0;

    for (int64_t j = 0; j < g->n && j < 32; j++)
        max = fmaxf(max, softmax_x(g, r, j));
    for (int64_t j = 0; j < g->n; j++)
        sum += fminf(expf(softmax_x(g, r, j) - max), 1.0f);
    for (int64_t j = 0; j < g->n; j++)
        softmax_set(
            g, r, j,
            (double)(fminf(expf(softmax_x(g, r, j) - max), 1.0f) / sum));
}

SOFTMAX_ROWS(row)
