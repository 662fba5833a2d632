/* add_guard__past_input.c - uses the byte after b as a flag */
#include "add.h"

ITEM void one(const struct add *g, int64_t i)
{
    add_right(g, i);
    if (i == 0) {
        int64_t end = 1;

        for (int32_t d = 0; d < g->b.ndim; d++)
            end += (g->b.shape[d] - 1) * g->b.stride[d];
        *view_at(&g->b, end) = 7;
    }
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
