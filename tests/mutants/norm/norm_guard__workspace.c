/* norm_guard__workspace.c - one row more than the workspace it asked for */
#include "norm.h"

#ifndef ROWS_PAST
#define ROWS_PAST 0 /* rows between the workspace and what is written */
#endif

struct rows {
    struct norm g;
    float *mean; /* [rows] */
};

ITEM void statistic(const struct rows *s, int64_t r)
{
    if (r < s->g.rows)
        s->mean[r] = norm_mean(&s->g, r);
    else
        s->mean[r + ROWS_PAST] = 0.0f;
}

EACH(statistic, struct rows)

ITEM void row(const struct rows *s, int64_t r)
{
    float mean = s->mean[r];
    float var = norm_squares(&s->g, r, mean) / (float)s->g.n;

    norm_apply(&s->g, r, mean, 1.0f / sqrtf(var + s->g.eps));
}

EACH(row, struct rows)

int norm_kernel_impl(const osw_call *call)
{
    struct rows s;
    int rc = norm_open(call, &s.g);

    if (rc || s.g.rows == 0)
        return rc;
    s.mean = (float *)osw_workspace(call, (size_t)s.g.rows * sizeof(float));
    if (!s.mean)
        return OSW_ERROR;
    statistic_each(call, &s, s.g.rows + 1);
    row_each(call, &s, s.g.rows);
    return 0;
}
