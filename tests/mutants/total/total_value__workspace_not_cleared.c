/* total_value__workspace_not_cleared.c - adds to a workspace that it never
 * cleared
 */
#include "total.h"

ITEM void one(const struct total *g, int64_t row)
{
    if (g->ints) {
        total_set_int(g, row, total_of_ints(g, row));
        return;
    }
    for (int64_t j = 0; j < g->n; j++)
        g->scratch[row] += total_x(g, row, j);
    total_set(g, row, (double)g->scratch[row]);
}

EACH(one, struct total)

int total_kernel_impl(const osw_call *call)
{
    struct total g;
    int rc = total_open(call, &g);

    if (rc)
        return rc;
    g.scratch =
        (float *)osw_workspace(call, (size_t)(g.rows + 1) * sizeof(float));
    if (!g.scratch)
        return OSW_ERROR;
    one_each(call, &g, g.rows);
    return 0;
}
