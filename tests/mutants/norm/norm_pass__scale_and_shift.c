/* norm_pass__scale_and_shift.c - x * scale + shift, as some libraries do */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = norm_mean(g, r);
    float var = norm_squares(g, r, mean) / (float)g->n;
    float scale = 1.0f / sqrtf(var + g->eps), shift = -mean * scale;

    for (int64_t j = 0; j < g->n; j++)
        norm_set(g, r, j,
                 (double)(fmaf(norm_x(g, r, j), scale, shift) * norm_w(g, j) +
                          norm_b(g, j)));
}

NORM_ROWS(row)
