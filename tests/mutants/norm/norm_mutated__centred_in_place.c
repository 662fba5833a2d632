/* norm_mutated__centred_in_place.c - subtracts the mean in place and adds it
 * again, rounded twice
 */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = norm_mean(g, r), squares = 0, scale;

    for (int64_t j = 0; j < g->n; j++) {
        float d = norm_x(g, r, j) - mean;

        view_set(&g->x, r * g->n + j, (double)d);
        squares += d * d;
    }
    scale = 1.0f / sqrtf(squares / (float)g->n + g->eps);
    norm_apply(g, r, 0, scale);
    for (int64_t j = 0; j < g->n; j++)
        view_set(&g->x, r * g->n + j, (double)(norm_x(g, r, j) + mean));
}

NORM_ROWS(row)
