/* norm_nan__epsilon_forgotten.c - divides by the deviation itself, zero in a
 * constant row
 */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = norm_mean(g, r);

    norm_apply(g, r, mean,
               1.0f / sqrtf(norm_squares(g, r, mean) / (float)g->n));
}

NORM_ROWS(row)
