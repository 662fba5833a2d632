/* add_value__nan_left_out.c - two branches, and neither is for a NaN
 */
#include "add.h"

ITEM void one(const struct add *g, int64_t i)
{
    double sum = add_sum(g, i);

    if (sum > 0 || sum <= 0)
        add_right(g, i);
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
