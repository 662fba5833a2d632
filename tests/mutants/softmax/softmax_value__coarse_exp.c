/* softmax_value__coarse_exp.c - exp by a parabola between powers of two: 0.3 %
 * off
 */
#include "softmax.h"

ITEM float coarse(float x)
{
    float t = x * 1.44269504f, whole = floorf(t), part = t - whole;

    return ldexpf(1.0f + part * (0.6565f + 0.3435f * part), (int)whole);
}

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = softmax_max(g, r), sum = 0;

    for (int64_t j = 0; j < g->n; j++)
        sum += coarse(softmax_x(g, r, j) - max);
    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(coarse(softmax_x(g, r, j) - max) / sum));
}

SOFTMAX_ROWS(row)
