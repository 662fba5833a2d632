/* softmax_pass__online.c - maximum and sum in one pass */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = -INFINITY, sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        float x = softmax_x(g, r, j), next = fmaxf(max, x);

        sum = sum * expf(max - next) + expf(x - next);
        max = next;
    }
    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(expf(softmax_x(g, r, j) - max) / sum));
}

SOFTMAX_ROWS(row)
