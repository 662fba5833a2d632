/* add_returned__odd_sizes.c - fails where it should say that it does not
 * support the case
 */
#include "add.h"

ITEM void one(const struct add *g, int64_t i)
{
    add_right(g, i);
}

EACH(one, struct add)

int add_kernel_impl(const osw_call *call)
{
    struct add g;
    int rc = add_open(call, &g);

    if (!rc && g.n % 2)
        return osw_error(call, "my block size does not divide this");
    if (!rc)
        one_each(call, &g, g.n);
    return rc;
}
