/* add_unwritten__odd_tail.c - writes four at a time, and forgets the rest */
#include "add.h"

ITEM void four(const struct add *g, int64_t i)
{
    for (int64_t q = 0; q < 4; q++)
        add_right(g, 4 * i + q);
}

EACH(four, struct add)

int add_kernel_impl(const osw_call *call)
{
    struct add g;
    int rc = add_open(call, &g);

    if (!rc)
        four_each(call, &g, g.n / 4);
    return rc;
}
