/* add_unwritten__every_97th.c - skips single elements in the middle */
#include "add.h"

ITEM void most(const struct add *g, int64_t i)
{
    if (i % 97 != 96)
        add_right(g, i);
}

EACH(most, struct add)

int add_kernel_impl(const osw_call *call)
{
    struct add g;
    int rc = add_open(call, &g);

    if (!rc)
        most_each(call, &g, g.n);
    return rc;
}
