/* add_guard__a_kilobyte_before.c - a negative index: writes 1 KiB before its
 * output
 */
#include "add.h"

ITEM void one(const struct add *g, int64_t i)
{
    add_right(g, i);
    if (i == 0)
        osw_store(g->y.dtype, view_at(&g->y, 0) - 1024, 1);
}

EACH(one, struct add)

int add_kernel_impl(const osw_call *call)
{
    struct add g;
    int rc = add_open(call, &g);

    if (!rc)
        one_each(call, &g, g.n);
    return rc;
}
