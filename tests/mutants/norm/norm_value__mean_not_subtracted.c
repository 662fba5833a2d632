/* norm_value__mean_not_subtracted.c - takes the mean for zero, as that of
 * normal numbers nearly is
 */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float var = norm_squares(g, r, norm_mean(g, r)) / (float)g->n;

    norm_apply(g, r, 0, 1.0f / sqrtf(var + g->eps));
}

NORM_ROWS(row)
