/* norm_pass__shifted.c - one pass over distances from the first element */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float first = norm_x(g, r, 0), sum = 0, squares = 0, mean, var;

    for (int64_t j = 0; j < g->n; j++) {
        float d = norm_x(g, r, j) - first;

        sum += d;
        squares += d * d;
    }
    mean = sum / (float)g->n;
    var = fmaxf(squares / (float)g->n - mean * mean, 0.0f);
    norm_apply(g, r, first + mean, 1.0f / sqrtf(var + g->eps));
}

NORM_ROWS(row)
