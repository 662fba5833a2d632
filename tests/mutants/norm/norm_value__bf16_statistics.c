/* norm_value__bf16_statistics.c - mean and deviation rounded to bf16 */
#include "norm.h"

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = as_bf16(norm_mean(g, r));
    float var = norm_squares(g, r, mean) / (float)g->n;

    norm_apply(g, r, mean, as_bf16(1.0f / sqrtf(var + g->eps)));
}

NORM_ROWS(row)
