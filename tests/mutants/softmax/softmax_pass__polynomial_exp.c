/* softmax_pass__polynomial_exp.c - an exp of its own, within two units in the
 * last place
 */
#include "softmax.h"

/* exp(x) = 2^n * exp(r), |r| <= ln(2) / 2, ln(2) in two parts; the series of
 * exp(r) to the seventh power is good to 2e-9.  Precondition: x <= 0.
 */
ITEM float own_exp(float x)
{
    float n, r, p;

    if (!(x > -87.0f))
        return x != x ? x : 0.0f;
    n = rintf(x * 1.44269504f);
    r = fmaf(n, -0.693359375f, x);
    r = fmaf(n, 2.12194440e-4f, r);
    p = 1.0f / 5040;
    p = fmaf(p, r, 1.0f / 720);
    p = fmaf(p, r, 1.0f / 120);
    p = fmaf(p, r, 1.0f / 24);
    p = fmaf(p, r, 1.0f / 6);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p, r, 1.0f);
    p = fmaf(p, r, 1.0f);
    return ldexpf(p, (int)n);
}

ITEM void row(const struct softmax *g, int64_t r)
{
    float max = softmax_max(g, r), sum = 0;

    for (int64_t j = 0; j < g->n; j++)
        sum += own_exp(softmax_x(g, r, j) - max);
    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(own_exp(softmax_x(g, r, j) - max) / sum));
}

SOFTMAX_ROWS(row)
