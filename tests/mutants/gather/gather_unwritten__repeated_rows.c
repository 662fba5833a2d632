/* gather_unwritten__repeated_rows.c - writes each row of the table once */
#include "gather.h"

ITEM void first_only(const struct gather *g, int64_t at)
{
    int64_t i = at / g->d;

    for (int64_t q = 0; q < i; q++)
        if (gather_index(g, q) == gather_index(g, i))
            return;
    gather_right(g, at);
}

EACH(first_only, struct gather)

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;
    int rc = gather_open(call, &g);

    if (!rc)
        first_only_each(call, &g, g.n * g.d);
    return rc;
}
