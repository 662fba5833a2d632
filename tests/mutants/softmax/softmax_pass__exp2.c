/* softmax_pass__exp2.c - powers of two of x * log2(e), as attention kernels do
 *
 */
#include "softmax.h"

ITEM float power(float x)
{
    return exp2f(x * 1.44269504088896341f);
}

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = softmax_max(g, r), sum = 0;

    for (int64_t j = 0; j < g->n; j++)
        sum += power(softmax_x(g, r, j) - max);
    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(power(softmax_x(g, r, j) - max) / sum));
}

SOFTMAX_ROWS(row)
