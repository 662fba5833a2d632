/* norm_pass__double_statistics.c - sums in double, the rest in f32 */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    double mean = 0, squares = 0;

    for (int64_t j = 0; j < g->n; j++)
        mean += (double)norm_x(g, r, j);
    mean /= (double)g->n;
    for (int64_t j = 0; j < g->n; j++) {
        double d = (double)norm_x(g, r, j) - mean;

        squares += d * d;
    }
    norm_apply(g, r, (float)mean,
               (float)(1.0 / sqrt(squares / (double)g->n + (double)g->eps)));
}

NORM_ROWS(row)
