/* norm_pass__quotient.c - divides by the root instead of multiplying */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = norm_mean(g, r);
    float root = sqrtf(norm_squares(g, r, mean) / (float)g->n + g->eps);

    for (int64_t j = 0; j < g->n; j++)
        norm_set(g, r, j,
                 (double)((norm_x(g, r, j) - mean) / root * norm_w(g, j) +
                          norm_b(g, j)));
}

NORM_ROWS(row)
