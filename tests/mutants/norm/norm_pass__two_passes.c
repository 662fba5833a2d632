/* norm_pass__two_passes.c - mean first, then squared distances */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = norm_mean(g, r);
    float var = norm_squares(g, r, mean) / (float)g->n;

    norm_apply(g, r, mean, 1.0f / sqrtf(var + g->eps));
}

NORM_ROWS(row)
