/* norm_pass__folded_scale.c - scale and weight multiplied first */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = norm_mean(g, r);
    float var = norm_squares(g, r, mean) / (float)g->n;
    float scale = 1.0f / sqrtf(var + g->eps);

    for (int64_t j = 0; j < g->n; j++) {
        float weight = scale * norm_w(g, j);

        norm_set(g, r, j,
                 (double)fmaf(norm_x(g, r, j) - mean, weight, norm_b(g, j)));
    }
}

NORM_ROWS(row)
