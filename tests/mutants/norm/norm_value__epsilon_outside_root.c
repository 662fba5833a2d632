/* norm_value__epsilon_outside_root.c - adds epsilon to the deviation, not to
 * the variance
 */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = norm_mean(g, r);
    float var = norm_squares(g, r, mean) / (float)g->n;

    norm_apply(g, r, mean, 1.0f / (sqrtf(var) + g->eps));
}

NORM_ROWS(row)
