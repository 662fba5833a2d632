/* norm_value__one_pass_variance.c - mean of squares minus square of the mean */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float sum = 0, squares = 0, mean, var;

    for (int64_t j = 0; j < g->n; j++) {
        float x = norm_x(g, r, j);

        sum += x;
        squares += x * x;
    }
    mean = sum / (float)g->n;
    var = fmaxf(squares / (float)g->n - mean * mean, 0.0f);
    norm_apply(g, r, mean, 1.0f / sqrtf(var + g->eps));
}

NORM_ROWS(row)
