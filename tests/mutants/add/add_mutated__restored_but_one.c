/* add_mutated__restored_but_one.c - turns a around in place and back, all but
 * its last element
 */
#include "add.h"

ITEM void negate(const struct add *g, int64_t i)
{
    view_set(&g->a, i, -view_get(&g->a, i));
}

EACH(negate, struct add)

ITEM void one(const struct add *g, int64_t i)
{
    view_set(&g->y, i, g->alpha * add_b(g, i) - add_a(g, i));
}

EACH(one, struct add)

int add_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    struct add g;
    int rc = add_open(call, &g);

    if (!rc) {
        negate_each(call, &g, osw_numel(a));
        one_each(call, &g, g.n);
        negate_each(call, &g, osw_numel(a) - 1);
    }
    return rc;
}
