/* norm_value__unbiased_variance.c - divides the squares by n - 1 */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = norm_mean(g, r);
    float n = g->n > 1 ? (float)(g->n - 1) : 1.0f;

    norm_apply(g, r, mean, 1.0f / sqrtf(norm_squares(g, r, mean) / n + g->eps));
}

NORM_ROWS(row)
