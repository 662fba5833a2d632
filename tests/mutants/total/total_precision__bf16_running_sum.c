/* total_precision__bf16_running_sum.c - rounds its sum to bf16 at every term */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float v = 0;

    for (int64_t j = 0; j < g->n; j++)
        v = as_bf16(v + total_x(g, row, j));
    return v;
}

TOTAL_ROWS(sum)
