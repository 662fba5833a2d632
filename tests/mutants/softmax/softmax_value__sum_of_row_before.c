/* softmax_value__sum_of_row_before.c - divides by the sum of another row */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    int64_t other = r > 0 ? r - 1 : r;
    float max = softmax_max(g, r);
    float sum = softmax_sum(g, other, softmax_max(g, other));

    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(expf(softmax_x(g, r, j) - max) / sum));
}

SOFTMAX_ROWS(row)
