/* add_mutated__scales_other.c - multiplies b by alpha where it lies, then adds
 *
 */
#include "add.h"

ITEM void scale(const struct add *g, int64_t i)
{
    view_set(&g->b, i, g->alpha * view_get(&g->b, i));
}

EACH(scale, struct add)

ITEM double plain(const struct add *g, int64_t i)
{
    return add_a(g, i) + add_b(g, i);
}

ITEM void one(const struct add *g, int64_t i)
{
    view_set(&g->y, i, plain(g, i));
}

EACH(one, struct add)

int add_kernel_impl(const osw_call *call)
{
    struct add g;
    int rc = add_open(call, &g);

    if (!rc) {
        scale_each(call, &g, osw_numel(osw_arg_tensor(call, 1)));
        one_each(call, &g, g.n);
    }
    return rc;
}
