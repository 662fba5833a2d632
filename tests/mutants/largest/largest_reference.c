/* largest_reference.c - where the largest of a row is */
#include "largest.h"

ITEM void one(const struct largest *g, int64_t row)
{
    int64_t best = 0;

    for (int64_t j = 1; j < g->n; j++)
        if (largest_x(g, row, j) > largest_x(g, row, best))
            best = j;
    memcpy(view_at(&g->y, view_offset(&g->y, row)), &best, sizeof(best));
}

EACH(one, struct largest)

EXPORT int largest_meta(const osw_call *call)
{
    struct largest g;

    return largest_open(call, &g);
}

EXPORT int largest_reference(const osw_call *call)
{
    struct largest g;
    int rc = largest_open(call, &g);

    if (!rc)
        one_each(call, &g, g.rows);
    return rc;
}
