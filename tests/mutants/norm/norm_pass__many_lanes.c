/* norm_pass__many_lanes.c - eight running sums at a time */
#include "norm.h"

enum { LANES = 8 };

static float sum_of(const struct norm *g, int64_t r, float mean, int squared)
{
    float lane[LANES] = {0};

    for (int64_t j = 0; j < g->n; j++) {
        float d = norm_x(g, r, j) - mean;

        lane[j % LANES] += squared ? d * d : d;
    }
    for (int q = 1; q < LANES; q++)
        lane[0] += lane[q];
    return lane[0];
}

ITEM void row(const struct norm *g, int64_t r)
{
    float mean = sum_of(g, r, 0, 0) / (float)g->n;
    float var = sum_of(g, r, mean, 1) / (float)g->n;

    norm_apply(g, r, mean, 1.0f / sqrtf(var + g->eps));
}

NORM_ROWS(row)
