/* softmax_pass__merged_blocks.c - blocks of 64 with a maximum each, merged */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = -INFINITY, sum = 0;

    for (int64_t from = 0; from < g->n; from += 64) {
        int64_t to = from + 64 < g->n ? from + 64 : g->n;
        float block_max = -INFINITY, block_sum = 0, next;

        for (int64_t j = from; j < to; j++)
            block_max = fmaxf(block_max, softmax_x(g, r, j));
        for (int64_t j = from; j < to; j++)
            block_sum += expf(softmax_x(g, r, j) - block_max);
        next = fmaxf(max, block_max);
        sum = sum * expf(max - next) + block_sum * expf(block_max - next);
        max = next;
    }
    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(expf(softmax_x(g, r, j) - max) / sum));
}

SOFTMAX_ROWS(row)
