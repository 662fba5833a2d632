/* total_pass__two_stages.c - parts of rows to a workspace, then their sums */
#include "total.h"

enum { PARTS = 8 };

ITEM void part(const struct total *g, int64_t at)
{
    int64_t row = at / PARTS, q = at % PARTS;
    float v = 0;

    for (int64_t j = g->n * q / PARTS; j < g->n * (q + 1) / PARTS; j++)
        v += total_x(g, row, j);
    g->scratch[at] = v;
}

EACH(part, struct total)

ITEM void join(const struct total *g, int64_t row)
{
    float v = 0;

    for (int64_t q = 0; q < PARTS; q++)
        v += g->scratch[row * PARTS + q];
    if (g->ints)
        total_set_int(g, row, total_of_ints(g, row));
    else
        total_set(g, row, (double)v);
}

EACH(join, struct total)

int total_kernel_impl(const osw_call *call)
{
    struct total g;
    int rc = total_open(call, &g);

    if (rc || g.rows == 0)
        return rc;
    g.scratch =
        (float *)osw_workspace(call, (size_t)(PARTS * g.rows) * sizeof(float));
    if (!g.scratch)
        return OSW_ERROR;
    part_each(call, &g, PARTS * g.rows);
    join_each(call, &g, g.rows);
    return 0;
}
