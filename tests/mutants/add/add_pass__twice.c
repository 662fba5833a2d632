/* add_pass__twice.c - writes everything twice */
#include "add.h"

ITEM void one(const struct add *g, int64_t i)
{
    view_set(&g->y, i, add_a(g, i));
    add_right(g, i);
}

EACH(one, struct add)

int add_kernel_impl(const osw_call *call)
{
    struct add g;
    int rc = add_open(call, &g);

    if (!rc) {
        one_each(call, &g, g.n);
        one_each(call, &g, g.n);
    }
    return rc;
}
