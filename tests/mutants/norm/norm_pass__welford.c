/* norm_pass__welford.c - mean and squares in one pass, updated */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = 0, squares = 0;

    for (int64_t j = 0; j < g->n; j++) {
        float x = norm_x(g, r, j), d = x - mean;

        mean += d / (float)(j + 1);
        squares += d * (x - mean);
    }
    norm_apply(g, r, mean, 1.0f / sqrtf(squares / (float)g->n + g->eps));
}

NORM_ROWS(row)
