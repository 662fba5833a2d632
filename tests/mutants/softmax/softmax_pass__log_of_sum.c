/* softmax_pass__log_of_sum.c - exp(x - max - log(sum)) */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = softmax_max(g, r), log_sum = logf(softmax_sum(g, r, max));

    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)expf(softmax_x(g, r, j) - max - log_sum));
}

SOFTMAX_ROWS(row)
