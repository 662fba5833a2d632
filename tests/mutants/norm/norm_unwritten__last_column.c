/* norm_unwritten__last_column.c - an even number of columns only */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = norm_mean(g, r);
    float var = norm_squares(g, r, mean) / (float)g->n;
    float scale = 1.0f / sqrtf(var + g->eps);

    for (int64_t j = 0; j < g->n / 2 * 2; j++)
        norm_set(g, r, j,
                 (double)((norm_x(g, r, j) - mean) * scale * norm_w(g, j) +
                          norm_b(g, j)));
}

NORM_ROWS(row)
