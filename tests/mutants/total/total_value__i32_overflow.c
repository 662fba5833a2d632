/* total_value__i32_overflow.c - sums integers in 32 bits */
#include "total.h"

ITEM float float_sum(const struct total *g, int64_t row)
{
    float v = 0;

    for (int64_t j = 0; j < g->n; j++)
        v += total_x(g, row, j);
    return v;
}

ITEM void one(const struct total *g, int64_t row)
{
    if (g->ints)
        total_set_int(g, row, (int32_t)(uint32_t)total_of_ints(g, row));
    else
        total_set(g, row, (double)float_sum(g, row));
}

EACH(one, struct total)

int total_kernel_impl(const osw_call *call)
{
    struct total g;
    int rc = total_open(call, &g);

    if (!rc)
        one_each(call, &g, g.rows);
    return rc;
}
