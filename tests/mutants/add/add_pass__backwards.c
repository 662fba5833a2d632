/* add_pass__backwards.c - from the last element to the first */
#include "add.h"

ITEM void one(const struct add *g, int64_t i)
{
    add_right(g, g->n - 1 - i);
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
