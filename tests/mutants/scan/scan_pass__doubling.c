/* scan_pass__doubling.c - log2(n) rounds, each adding from twice as far */
#include <stdlib.h>

#include "scan.h"

static void row(const struct scan *g, int64_t r, float *v)
{
    for (int64_t j = 0; j < g->n; j++)
        v[j] = scan_x(g, r, j);
    for (int64_t step = 1; step < g->n; step *= 2)
        for (int64_t j = g->n - 1; j >= step; j--)
            v[j] += v[j - step];
    for (int64_t j = 0; j < g->n; j++)
        scan_set(g, r, j, (double)v[j]);
}

int scan_kernel_impl(const osw_call *call)
{
    struct scan g;
    int rc = scan_open(call, &g);
    float *v;

    if (rc || g.ints)
        return rc ? rc : OSW_UNSUPPORTED;
    v = malloc((size_t)(g.n + 1) * sizeof(*v));
    for (int64_t r = 0; v && r < g.rows; r++)
        row(&g, r, v);
    free(v);
    return v ? 0 : OSW_ERROR;
}
