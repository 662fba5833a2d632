/* scan_value__integers_through_float.c - sums integers in f32 */
#include "scan.h"

ITEM void row(const struct scan *g, int64_t r)
{
    float sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        sum += scan_x(g, r, j);
        if (g->ints)
            scan_set_int(g, r, j, (int64_t)sum);
        else
            scan_set(g, r, j, (double)sum);
    }
}

EACH(row, struct scan)

int scan_kernel_impl(const osw_call *call)
{
    struct scan g;
    int rc = scan_open(call, &g);

    if (!rc)
        row_each(call, &g, g.rows);
    return rc;
}
